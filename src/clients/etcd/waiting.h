// SPDX-License-Identifier: Apache-2.0
// Waiting for an etcd cluster, on a clock passed as a parameter.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/show_line.h"

namespace etcd {

using std::chrono::milliseconds;

// The limit and the clock of a wait; the first attempt is immediate.
struct Waiting {
  std::function<std::chrono::steady_clock::time_point()> now;
  // Waits that long; returns false if it was interrupted, which ends the wait with
  // base::Interrupted.
  std::function<bool(milliseconds)> pause;
  milliseconds first{50};  // pause after the first attempt; doubles …
  milliseconds most{500};  // … up to this
  milliseconds limit{120'000};
  // Checked after each failed attempt: a permanent failure (etcd's container exits again and again)
  // ends the wait with this error. May be empty.
  std::function<std::optional<base::Error>()> culprit;
};

// One attempt: returns std::nullopt after a success, else the reason to wait. kUnavailable and
// kTimeout are reasons to retry; any other base::Error ends the wait.
using Try = std::function<std::optional<std::string>()>;

// Retries until success. `on_wait` (may be empty) gets each new reason once. Throws kTimeout "WHAT
// within LIMIT: REASON", base::Interrupted, the culprit, or the attempt's error.
void WaitFor(const std::string& what, const Waiting& waiting, const Try& attempt,
             const base::ShowLine& on_wait = {});

}  // namespace etcd
