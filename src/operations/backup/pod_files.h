// SPDX-License-Identifier: Apache-2.0
// Files of the host that the arguments of a static Pod name, and the files that those files name.
// The functions only read files.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/files.h"
#include "json/value.h"

namespace backup {

// A file that an argument names.
struct NamedFile {
  std::string flag;     // "encryption-provider-config"
  std::string path;     // in the container
  host::fs::path host;  // on the host; empty if no hostPath volume contains the file
};

// Returns the host's path of a file in the Pod's first container. Returns std::nullopt if no
// hostPath volume contains the file.
std::optional<host::fs::path> HostPathOf(const json::Value& pod, const host::fs::path& path);

// Returns the files that arguments of the Pod's first container name and that the container reads.
// The name of an argument decides whether its value is a file. Files that the container writes are
// left out.
std::vector<NamedFile> FilesOfArguments(const json::Value& pod);

// Returns the files that the content of `file` names. A path counts only if a hostPath volume of
// the Pod contains it. In an AdmissionConfiguration, paths may also be relative to the file.
// Returns an empty list for a file that is not YAML.
std::vector<NamedFile> FilesNamedIn(const json::Value& pod, const NamedFile& file,
                                    std::string_view content);

// Returns the names and endpoints of the KMS plugins in an EncryptionConfiguration: "kms-1 at
// unix:///run/kms.sock". The keys of KMS plugins are not in files of the node.
std::vector<std::string> KmsPluginsIn(std::string_view content);

}  // namespace backup
