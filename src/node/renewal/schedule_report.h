// SPDX-License-Identifier: Apache-2.0
// What `certs auto-renew` reports about the timer: text for people, objects for programs.
#pragma once

#include <string>

#include "json/fwd.h"
#include "renewal/report.h"
#include "renewal/schedule.h"

namespace renewal {

// ScheduleChange is what was written and run to enable or disable, or what would be.
struct ScheduleChange {
  Schedule schedule;
  ReportWords words = ReportWords::kDone;
};

// TextOf has a line for each command and file, and for what is planned the files' content; or
// whether a timer renews, by which command, and when next.
std::string TextOf(const ScheduleChange& change);
std::string TextOf(const ScheduleStatus& status);

// ObjectOf is an AutoRenewalChange or AutoRenewalStatus of output.slipway/v1alpha1.
json::Ordered ObjectOf(const ScheduleChange& change);
json::Ordered ObjectOf(const ScheduleStatus& status);

}  // namespace renewal
