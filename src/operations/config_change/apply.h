// SPDX-License-Identifier: Apache-2.0
// Execution of a plan on this node, and its rollback.
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

// The context of a change. References must outlive it.
struct Engine {
  const Sources& sources;
  cri::Runtime& runtime;
  std::chrono::sys_seconds start;            // of the process: start of certificates' periods
  std::chrono::milliseconds limit{300'000};  // for one component to serve again
  std::stop_token stop = {};
  base::ShowLine say;
  // Called when the journal is written, before any change: starts the keeper of a trial.
  std::function<void(const Change& change)> begun = {};
  std::chrono::seconds trial{0};  // the duration of a change in state kTrying
};

// Issues certificates, replaces static Pods (each must serve before the next is replaced) and
// writes the kubelet's file. Stores the configuration when all components serve. After a failure it
// rolls back and throws base::Error with the cause. After base::Interrupted the present
// state stays, for TakeBack. `change` has the state before, and its `state` is the final one; it is
// stored in the journal.
void Apply(const Plan& plan, Change change, const Engine& engine);

// Restores certificates, static Pods and the kubelet's file from the journal, without other nodes
// or the cluster, and records that in the journal. After an error, another call continues.
void TakeBackNode(Change& change, const Engine& engine);

// Restores the stored configuration before the change, and the addons.
void StoreBefore(const Change& change, const Engine& engine);

}  // namespace config_change
