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
  // Waits for the given time. Returns false if the pause was interrupted; the wait then throws
  // base::Interrupted.
  std::function<bool(milliseconds)> pause;
  milliseconds first{50};  // the pause after the first attempt, doubled after each attempt
  milliseconds most{500};  // the longest pause
  milliseconds limit{120'000};
  // Called after each failed attempt; may be empty. An error that it returns is permanent (for
  // example, etcd's container exits again and again) and ends the wait.
  std::function<std::optional<base::Error>()> culprit;
};

// Performs one attempt. Returns std::nullopt after a success, otherwise the reason to wait. A
// base::Error of kind kUnavailable or kTimeout is also a reason to wait. Any other error ends the
// wait.
using Try = std::function<std::optional<std::string>()>;

// Retries until success. `on_wait` (may be empty) gets each new reason once. Throws kTimeout "WHAT
// within LIMIT: REASON", base::Interrupted, the error of `culprit`, or a permanent error of the
// attempt.
void WaitFor(const std::string& what, const Waiting& waiting, const Try& attempt,
             const base::ShowLine& on_wait = {});

}  // namespace etcd
