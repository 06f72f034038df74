// SPDX-License-Identifier: Apache-2.0
// Maintenance windows: the times at which an operation may begin further nodes.
#pragma once

#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/duration.h"
#include "json/fields.h"

namespace fleet {

// A recurring period.
struct MaintenanceWindow {
  std::string start;           // cron(5) without names: "0 22 * * 6"
  base::Duration duration{0};  // at least a minute, at most a week
  std::string time_zone;       // IANA's name, "Europe/Berlin"; "": UTC
  static std::span<const json::Field> Fields();
};

// Returns the defect of a window: "start: …"; "" for a valid window. A time zone is unknown if
// neither the machine nor this program has it.
std::string ProblemOf(const MaintenanceWindow& window);

// Returns why no node may begin at that time: "outside the maintenance windows; the next one begins
// at …". Returns "" within a window, and if the list of windows is empty. The windows must be
// valid. A start time that daylight saving time skips is left out; a start time that occurs twice
// starts two windows.
std::string WaitFor(const std::vector<MaintenanceWindow>& windows, std::chrono::sys_seconds now);

}  // namespace fleet
