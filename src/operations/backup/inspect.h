// SPDX-License-Identifier: Apache-2.0
// Descriptions of backups, without reading them completely.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "backup/manifest.h"
#include "backup/reader.h"
#include "json/value.h"

namespace backup {

// The properties of a backup's file.
struct Inspected {
  std::string path;
  Seal seal;
  std::chrono::sys_seconds modified;
  std::optional<Manifest> manifest;  // not set if encrypted and no key was given

  // Returns the creation time in the manifest. If the manifest is not set, returns the time in the
  // file's name.
  std::optional<std::chrono::sys_seconds> Created() const;
};

// Reads the header of the backup. Also reads the manifest if a key is given or the backup is not
// encrypted. Throws the errors of ReadManifest.
Inspected Inspect(const Reading& reading);

// One backup in a directory or below a prefix of keys.
struct Listed {
  std::string path;
  std::optional<Inspected> inspected;
  std::string problem;  // why the backup cannot be read; "" if it can be read
};

// Lists the files whose names have the form of FileName, sorted by name. A file that cannot be read
// is listed with the reason.
std::vector<Listed> ListBackups(const Reading& directory);

// TextOf and ObjectOf return the output of `backup inspect` and `backup list`.
std::string TextOf(const Inspected& inspected);
json::Value ObjectOf(const Inspected& inspected);
std::string TextOf(const std::vector<Listed>& backups);
json::Value ObjectOf(const std::vector<Listed>& backups);

}  // namespace backup
