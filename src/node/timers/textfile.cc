// SPDX-License-Identifier: Apache-2.0
#include "timers/textfile.h"

#include "base/error.h"
#include "base/log.h"

namespace timers {
namespace {

constexpr std::string_view kDirectory = "/var/lib/prometheus/node-exporter";

}  // namespace

std::optional<host::fs::path> TextfilePath(const host::Files& files, const Textfile& textfile) {
  if (!textfile.wanted.empty()) {
    return textfile.wanted;
  }
  return files.Exists(kDirectory) ? std::optional(host::fs::path(kDirectory) / textfile.usual_name)
                                  : std::nullopt;
}

void WriteTextfile(const Textfile& textfile, const std::function<std::string()>& text,
                   host::Host& host) {
  const auto path = TextfilePath(host.files, textfile);
  if (!path) {
    return;
  }
  try {
    host.files.Write(*path, text(), {.mode = 0644});
  } catch (const base::Error& error) {
    if (!textfile.wanted.empty()) {
      throw;
    }
    base::LogWarning("the metrics of this run are not written: {}", error.message());
  }
}

}  // namespace timers
