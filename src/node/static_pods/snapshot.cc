// SPDX-License-Identifier: Apache-2.0
#include "static_pods/snapshot.h"

#include "base/secret_text.h"

namespace static_pods {

Snapshot::Snapshot(host::Files& files, const std::vector<host::fs::path>& paths) : files_(files) {
  for (const host::fs::path& path : paths) {
    contents_[path] = files.Find(path);
  }
}

Snapshot::~Snapshot() {
  for (auto& [path, content] : contents_) {
    if (content) {
      base::Wipe(*content);
    }
  }
}

void Snapshot::Restore() const {
  for (const auto& [path, content] : contents_) {
    if (content) {
      files_.Write(path, *content, {.mode = 0600});
    } else {
      files_.Remove(path);
    }
  }
}

}  // namespace static_pods
