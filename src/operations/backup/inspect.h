// SPDX-License-Identifier: Apache-2.0
// Descriptions of backups, without reading all of them.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "backup/manifest.h"
#include "backup/reader.h"
#include "json/value.h"

namespace backup {

// The file of a backup.
struct Inspected {
  std::string path;
  Seal seal;
  std::chrono::sys_seconds modified;
  std::optional<Manifest> manifest;  // not set: it is encrypted, and no key was given
};

// Reads the beginning of the file. Reads the manifest only if a key is given or the file is not
// encrypted. Throws like ReadManifest.
Inspected Inspect(const Reading& reading);

// The backups in a directory or below a prefix of keys, sorted by name: files whose names end like
// those of FileName. A file that cannot be read is listed with the reason.
struct Listed {
  std::string path;
  std::optional<Inspected> inspected;
  std::string problem;  // why it cannot be read; "" if it can
};
std::vector<Listed> ListBackups(const Reading& directory);

// Return the output of the commands.
std::string TextOf(const Inspected& inspected);
json::Value ObjectOf(const Inspected& inspected);
std::string TextOf(const std::vector<Listed>& backups);
json::Value ObjectOf(const std::vector<Listed>& backups);

}  // namespace backup
