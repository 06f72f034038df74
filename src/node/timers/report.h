// SPDX-License-Identifier: Apache-2.0
// The output of commands about a timer: text for humans, objects for programs.
#pragma once

#include <string>

#include "json/fwd.h"
#include "timers/timer.h"

namespace timers {

// The executed or planned changes to enable or disable a timer.
struct ChangeReport {
  const Task& task;
  Change change;
  bool planned = false;
};

// The present setup of a task's timer.
struct StatusReport {
  const Task& task;
  Status status;
};

// Formats a change as one line for each command and file. A plan's text also has the files'
// content. Formats a status as lines: whether a timer runs the task, the command, and the next run.
std::string TextOf(const ChangeReport& report);
std::string TextOf(const StatusReport& report);

// Returns objects of output.slipway/v1alpha1. Their kinds begin with the name of the task:
// AutoRenewalChange, AutoRenewalStatus.
json::Ordered ObjectOf(const ChangeReport& report);
json::Ordered ObjectOf(const StatusReport& report);

}  // namespace timers
