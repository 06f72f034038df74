// SPDX-License-Identifier: Apache-2.0
// FakeMounts: mounts in memory, for tests.
#pragma once

#include <map>

#include "host/mounts.h"

namespace host {

class FakeMounts : public Mounts {
 public:
  std::vector<Mount> mounts;
  std::map<fs::path, fs::path> links;        // path → result of Resolve
  std::map<fs::path, std::string> failures;  // target → why it cannot be unmounted
  std::vector<fs::path> not_mounted;         // targets that the kernel does not know
  std::vector<std::string> unmounted;        // "TARGET FLAG…", in order

  std::vector<Mount> List() const override { return mounts; }
  fs::path Resolve(const fs::path& path) const override {
    const auto link = links.find(path);
    return link == links.end() ? path : link->second;
  }
  bool Unmount(const fs::path& target, std::span<const std::string> flags) override;
};

}  // namespace host
