// What `certs auto-renew` tells about the timer.
#pragma once

#include <string>

#include "json/value.h"
#include "renewal/schedule.h"

namespace kubeadm {

// ScheduleText is what was written and run, or what would be: a line each, and in a dry run the
// files.
std::string ScheduleText(const renewal::Schedule& schedule, bool dry_run);
// ScheduleObject is an AutoRenewalChange of output.slipway/v1alpha1.
json::Ordered ScheduleObject(const renewal::Schedule& schedule, bool dry_run);

// StatusText says whether a timer renews, by which command, and when next.
std::string StatusText(const renewal::ScheduleStatus& status);
// StatusObject is an AutoRenewalStatus of output.slipway/v1alpha1.
json::Ordered StatusObject(const renewal::ScheduleStatus& status);

}  // namespace kubeadm
