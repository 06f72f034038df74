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

// Limits of a wait. The deadline is one of the clock, which must outlive the wait.
struct WaitLimits {
  Clock& clock;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::stop_token stop;
};

// Returns as soon as `happened` is true. Calls it at once, after every change in the directory of
// `path` (inotify(7); of the nearest parent while that directory does not exist), and once a
// second, since some file systems report no changes. Without inotify it is called every 10 ms, then
// with growing pauses up to 250 ms. Propagates exceptions of `happened`.
WaitResult WaitForFile(const Files& files, const fs::path& path,
                       const std::function<bool()>& happened, const WaitLimits& limits);

}  // namespace host
