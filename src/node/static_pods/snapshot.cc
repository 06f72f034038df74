// SPDX-License-Identifier: Apache-2.0
#include "static_pods/snapshot.h"

#include "base/secret_text.h"

namespace static_pods {

Snapshot::Snapshot(host::Files& files, const std::vector<host::fs::path>& paths) : files_(files) {
  for (const host::fs::path& path : paths) {
    std::optional<Content>& kept = contents_[path];
    if (auto text = files.Find(path)) {
      const auto info = files.Stat(path);
      kept = Content{.text = *std::move(text),
                     .mode = info && info->kind == host::FileInfo::Kind::kFile ? info->mode : 0600};
    }
  }
}

Snapshot::~Snapshot() {
  for (auto& [path, content] : contents_) {
    if (content) {
      base::Wipe(content->text);
    }
  }
}

void Snapshot::Restore() const {
  for (const auto& [path, content] : contents_) {
    if (content) {
      files_.Write(path, content->text, {.mode = content->mode});
    } else {
      files_.Remove(path);
    }
  }
}

}  // namespace static_pods
