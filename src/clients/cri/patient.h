// SPDX-License-Identifier: Apache-2.0
// A connection that survives a restart of the container runtime.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "cri/runtime.h"

namespace cri {

// The wait for a runtime that does not answer.
struct Patience {
  // Waits for the given time. Returns false if the pause was interrupted.
  std::function<bool(std::chrono::milliseconds)> pause;
  std::chrono::milliseconds limit{60'000};  // of all pauses of one call
};

// Returns a runtime that retries calls while `runtime` does not answer (kUnavailable), until the
// limit. Then throws the last error. Throws base::Interrupted if a pause was interrupted. Does not
// retry Start, which may have had an effect; all other calls are idempotent. Intended for callers
// that change Pods: a failure halfway would leave the node without these Pods.
std::unique_ptr<Runtime> Patient(std::unique_ptr<Runtime> runtime, Patience patience);

}  // namespace cri
