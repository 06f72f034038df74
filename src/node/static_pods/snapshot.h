// SPDX-License-Identifier: Apache-2.0
// Snapshots of files for a rollback.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/files.h"

namespace static_pods {

// Keeps the content of files in memory, including private keys. The destructor overwrites this
// memory. `files` must outlive the snapshot.
class Snapshot {
 public:
  Snapshot(host::Files& files, const std::vector<host::fs::path>& paths);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  // Restores the files. A file that is missing now also gets its old mode. Removes files that
  // did not exist at the time of the snapshot. Throws base::Error with the kind of Files::Write.
  void Restore() const;

 private:
  struct Content {
    std::string text;
    unsigned mode = 0600;
  };

  host::Files& files_;
  std::map<host::fs::path, std::optional<Content>> contents_;
};

}  // namespace static_pods
