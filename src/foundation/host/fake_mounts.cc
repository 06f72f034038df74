// SPDX-License-Identifier: Apache-2.0
#include "host/fake_mounts.h"

#include <algorithm>

#include "base/error.h"

namespace host {

bool FakeMounts::Unmount(const fs::path& target, std::span<const std::string> flags) {
  std::string call = target.string();
  for (const std::string& flag : flags) {
    call += " " + flag;
  }
  unmounted.push_back(call);
  if (const auto failure = failures.find(target); failure != failures.end()) {
    throw base::Error("cannot unmount " + target.string() + ": " + failure->second);
  }
  if (std::ranges::find(not_mounted, target) != not_mounted.end()) {
    return false;
  }
  std::erase_if(mounts, [&](const Mount& each) { return each.target == target; });
  return true;
}

}  // namespace host
