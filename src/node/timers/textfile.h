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

// Returns the path that the user gave, or the usual file name in the directory that Debian's
// node_exporter reads. Returns std::nullopt if the user gave no path and this directory does not
// exist.
std::optional<host::fs::path> TextfilePath(const host::Files& files, const Textfile& textfile);

// Writes the result of `text`, mode 0644; does nothing without a path. If the user gave the path,
// throws base::Error with the kind of the file's error, and the errors of `text`. Otherwise only
// warns of these errors.
void WriteTextfile(const Textfile& textfile, const std::function<std::string()>& text,
                   host::Host& host);

}  // namespace timers
