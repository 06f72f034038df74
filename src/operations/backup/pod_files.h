// SPDX-License-Identifier: Apache-2.0
// Files of the host that the arguments of a static Pod name, and the files that those files name.
// Pure, except that files are read.
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
  host::fs::path host;  // on the host; empty: no volume of the host has it
};

// Returns the path on the host of a path in the Pod's first container; std::nullopt if no hostPath
// volume has it.
std::optional<host::fs::path> HostPathOf(const json::Value& pod, const host::fs::path& path);

// Returns the files that the Pod's first container reads because of its arguments. An argument
// counts if its name says that its value is a file. Files that the program writes are left out.
std::vector<NamedFile> FilesOfArguments(const json::Value& pod);

// Returns the files that such a file names: the absolute paths in it that exist on the host. In an
// AdmissionConfiguration, paths may also be relative to the file. Returns an empty list for a file
// that is not YAML.
std::vector<NamedFile> FilesNamedIn(const json::Value& pod, const NamedFile& file,
                                    std::string_view content);

// Returns the names and endpoints of the KMS plugins of an EncryptionConfiguration: "kms-1 at
// unix:///run/kms.sock". Their keys are in no file of the node.
std::vector<std::string> KmsPluginsIn(std::string_view content);

}  // namespace backup
