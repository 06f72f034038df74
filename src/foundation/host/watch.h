// SPDX-License-Identifier: Apache-2.0
// Waiting for files without polling.
#pragma once

#include <chrono>
#include <functional>
#include <stop_token>

#include "host/clock.h"
#include "host/files.h"

namespace host {

// The end of a wait.
enum class WaitResult { kHappened, kDeadline, kStopped };

// Limits of a wait. The deadline is a time of clock.Steady(). The clock must outlive the wait.
struct WaitLimits {
  Clock& clock;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::stop_token stop;
};

// Waits until `happened` returns true. Calls `happened` immediately, after every change in the
// directory of `path` (inotify(7)), and once a second, since some file systems report no changes.
// While the directory does not exist, watches its nearest existing parent. Without inotify, calls
// `happened` every 10 ms, then with growing pauses up to 250 ms. Propagates exceptions of
// `happened`.
WaitResult WaitForFile(const Files& files, const fs::path& path,
                       const std::function<bool()>& happened, const WaitLimits& limits);

}  // namespace host
