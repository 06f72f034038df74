// SPDX-License-Identifier: Apache-2.0
// The output of `certs auto-renew` about the timer: text for humans, objects for programs.
#pragma once

#include <string>

#include "json/fwd.h"
#include "renewal/report.h"
#include "renewal/schedule.h"

namespace renewal {

// The executed or planned changes to enable or disable it.
struct ScheduleChange {
  Schedule schedule;
  ReportWords words = ReportWords::kDone;
};

// Returns a line for each command and file, and for a plan the files' content; or whether a timer
// renews, with which command, and when next.
std::string TextOf(const ScheduleChange& change);
std::string TextOf(const ScheduleStatus& status);

// Returns an AutoRenewalChange or AutoRenewalStatus of output.slipway/v1alpha1.
json::Ordered ObjectOf(const ScheduleChange& change);
json::Ordered ObjectOf(const ScheduleStatus& status);

}  // namespace renewal
