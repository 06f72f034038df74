// SPDX-License-Identifier: Apache-2.0
// Snapshots of files for a rollback.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/files.h"

namespace static_pods {

// Keeps the content of files, including keys, in memory, and overwrites this memory in the
// destructor. `files` must outlive it.
class Snapshot {
 public:
  Snapshot(host::Files& files, const std::vector<host::fs::path>& paths);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  // Writes the files back, with their mode if they are missing now, and removes files that did not
  // exist. Throws base::Error with the kind of Files::Write.
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
