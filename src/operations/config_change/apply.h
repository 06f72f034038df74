// SPDX-License-Identifier: Apache-2.0
// Carrying a plan out on this node, and taking it back.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/show_line.h"
#include "config_change/gather.h"
#include "config_change/plan.h"
#include "config_change/record.h"
#include "cri/runtime.h"

namespace config_change {

// Engine is what acts. References outlive it.
struct Engine {
  const Sources& sources;
  cri::Runtime& runtime;
  std::chrono::sys_seconds start;            // of the process: certificates' periods count from it
  std::chrono::milliseconds limit{300'000};  // for one component to serve again
  std::stop_token stop = {};
  base::ShowLine say;
  // Called when the journal is written, before anything is changed: starts the keeper of a trial.
  std::function<void(const Change& change)> begun = {};
  std::chrono::seconds trial{0};  // how long a change in state kTrying may last
};

// Apply issues certificates, replaces static Pods (each must serve before the next is touched),
// then the kubelet's file, and stores the configuration when all of it serves. When something does
// not, it takes everything back and throws base::Error with the cause. Interrupted (kCancelled), it
// leaves all as it is, for TakeBack. `change` says what was before, and by its state what it is
// afterwards; it is kept in the journal.
void Apply(const Plan& plan, Change change, const Engine& engine);

// TakeBackNode puts certificates, static Pods and the kubelet's file back as the journal has them,
// for which nobody else need answer, and notes that in the journal. Given again after an error it
// goes on with what is left.
void TakeBackNode(Change& change, const Engine& engine);

// StoreBefore puts back what the cluster stored before the change, and the addons.
void StoreBefore(const Change& change, const Engine& engine);

}  // namespace config_change
