// SPDX-License-Identifier: Apache-2.0
// The content of files as it was, to put it back.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/files.h"

namespace static_pods {

// Snapshot keeps the content of files in memory, keys among them, and overwrites it when its life
// ends. `files` outlives it.
class Snapshot {
 public:
  Snapshot(host::Files& files, const std::vector<host::fs::path>& paths);
  ~Snapshot();
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;
  // Restore writes back what was there, with its mode where the file is missing now, and removes
  // what was not. Throws base::Error like Files::Write.
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
