// SPDX-License-Identifier: Apache-2.0
// Files of metrics for the textfile collector of Prometheus' node_exporter.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "host/host.h"

namespace timers {

// The path to which a daily run writes its metrics.
struct Textfile {
  std::string wanted;           // the user's path; "": not given
  std::string_view usual_name;  // "kubeadm_certs.prom"
};

// Returns the user's path, or the usual name in the directory that Debian's node_exporter reads;
// std::nullopt if this directory does not exist.
std::optional<host::fs::path> TextfilePath(const host::Files& files, const Textfile& textfile);

// Writes the result of `text`, mode 0644; does nothing without a path. Throws base::Error with the
// kind of the file's error, and the errors of `text`, if the user gave the path; warns otherwise.
void WriteTextfile(const Textfile& textfile, const std::function<std::string()>& text,
                   host::Host& host);

}  // namespace timers
