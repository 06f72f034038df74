// SPDX-License-Identifier: Apache-2.0
// The choice of the old backups that a schedule removes.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"

namespace backup {

// The user's limits. Both apply: a backup that exceeds one is removed.
struct Retention {
  std::int64_t count = 14;               // backups that stay, at least 1
  std::optional<base::Duration> within;  // age; not set: any
};

// Returns the time in a file name that FileName (manifest.h) has created, for any node, or for the
// given node only. Returns std::nullopt for every other name.
std::optional<std::chrono::sys_seconds> TimeInName(std::string_view name);
std::optional<std::chrono::sys_seconds> TimeInName(std::string_view name, std::string_view node);

// Chooses the names to remove from the names in a directory. Keeps names that are not backups of
// this node. Keeps the newest backup, whatever its age. Keeps names with a time after `now`, and
// does not count them: a wrong clock or another user created them.
std::vector<std::string> ChooseExpired(const std::vector<std::string>& names, std::string_view node,
                                       const Retention& retention, std::chrono::sys_seconds now);

}  // namespace backup
