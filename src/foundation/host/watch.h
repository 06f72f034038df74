// SPDX-License-Identifier: Apache-2.0
// Waiting for files without polling.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "host/clock.h"
#include "host/files.h"

namespace host {

// WaitResult is how a wait ended.
enum class WaitResult { kHappened, kDeadline, kStopped };

// WaitLimits end a wait early. The deadline is one of the clock, which outlives the wait.
struct WaitLimits {
  Clock& clock;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::stop_token stop;
};

// WaitForFile returns as soon as `happened` is true. It is asked at once and after every change in
// the directory of `path` (inotify(7); of the nearest parent while that directory does not exist),
// and once a second, since not every file system tells. Without inotify it is asked every 10 ms,
// then ever more rarely down to every 250 ms. What `happened` throws leaves WaitForFile.
WaitResult WaitForFile(const Files& files, const fs::path& path,
                       const std::function<bool()>& happened, const WaitLimits& limits);

}  // namespace host
