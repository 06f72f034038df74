// SPDX-License-Identifier: Apache-2.0
// A connection that outlives a restart of the container runtime.
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "cri/runtime.h"

namespace cri {

// Patience is how a runtime that is away is waited for.
struct Patience {
  // Waits so long; false when it was cut short.
  std::function<bool(std::chrono::milliseconds)> pause;
  std::chrono::milliseconds limit{60'000};  // of one call's pauses together
};

// Patient makes every call again while nobody answers (kUnavailable), until the limit is over: then
// it throws what the last try did, or kCancelled when a pause was cut short. No call does harm when
// it is made twice. For whoever changes Pods: a step that ends in its midst leaves the node without
// them.
std::unique_ptr<Runtime> Patient(std::unique_ptr<Runtime> runtime, Patience patience);

}  // namespace cri
