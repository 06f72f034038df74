// SPDX-License-Identifier: Apache-2.0
#include "workflow/state_file.h"

#include <fmt/core.h>

#include <optional>
#include <string>

#include "base/error.h"
#include "json/value.h"

namespace workflow {

void ReadStateFile(const host::Files& files, const StateFile& file,
                   const std::function<void(const json::Value&)>& read) {
  const std::optional<std::string> text = files.Find(host::fs::path(file.path));
  if (!text) {
    return;
  }
  const auto refuse = [&file](std::string_view why) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format(fmt::runtime(file.refusal), file.path, why));
  };
  try {
    read(json::Parse(*text));
  } catch (const base::Error& error) {
    refuse(error.message());
  } catch (const json::Value::exception&) {
    refuse("a field is missing, or of another type");
  }
}

void SaveStateFile(host::Files& files, std::string_view path, const json::Value& json) {
  const host::fs::path file(path);
  files.MakeDirectories(file.parent_path(), 0700);
  files.Write(file, json.dump(2) + "\n", {.mode = 0600});
}

}  // namespace workflow
