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

// Reads the header of the backup. Also reads the manifest if a key is given or the backup is not
// encrypted. Throws the errors of ReadManifest.
Inspected Inspect(const Reading& reading);

// One backup in a directory or below a prefix of keys. Lists of backups are sorted by name and
// contain the files whose names have the form of FileName. A file that cannot be read is listed
// with the reason.
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
