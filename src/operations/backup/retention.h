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

// Returns the time in the name of a file that FileName (manifest.h) named for this node;
// std::nullopt for every other name, such as another node's.
std::optional<std::chrono::sys_seconds> TimeInName(std::string_view name, std::string_view node);

// Chooses the names to remove from those of a directory's files. Names that are not this node's
// backups stay, and so does the newest backup, whatever its age. Names with a time after `now`
// stay and do not count: a wrong clock wrote them, or another user.
std::vector<std::string> ChooseExpired(const std::vector<std::string>& names, std::string_view node,
                                       const Retention& retention, std::chrono::sys_seconds now);

}  // namespace backup
