// SPDX-License-Identifier: Apache-2.0
// Waiting for an etcd cluster, on a clock that comes in as a parameter.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/show_line.h"

namespace etcd {

using std::chrono::milliseconds;

// Waiting says for how long and on whose clock; the first try is made at once.
struct Waiting {
  std::function<std::chrono::steady_clock::time_point()> now;
  // Pause waits so long; false when it was cut short, which ends the wait with kCancelled.
  std::function<bool(milliseconds)> pause;
  milliseconds first{50};  // pause after the first try; doubles …
  milliseconds most{500};  // … up to this
  milliseconds limit{120'000};
  // Looked at after each try that was not enough: something that went wrong for good (etcd's
  // container exits again and again) ends the wait with this error. May be empty.
  std::function<std::optional<base::Error>()> culprit;
};

// Try tries once: nothing when it is done, else why not yet. kUnavailable and kTimeout that it
// throws are reasons to try again; any other base::Error ends the wait.
using Try = std::function<std::optional<std::string>()>;

// WaitFor tries until it is done. `on_wait` (may be empty) gets each new reason once. Throws
// kTimeout "WHAT within LIMIT: REASON", kCancelled, the culprit, or what the try threw.
void WaitFor(const std::string& what, const Waiting& waiting, const Try& attempt,
             const base::ShowLine& on_wait = {});

}  // namespace etcd
