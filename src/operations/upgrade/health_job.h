// SPDX-License-Identifier: Apache-2.0
// The Job that shows whether a cluster can still run Pods (reference: preflight.md §5).
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "host/clock.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace upgrade {

json::Value HealthJob(const std::string& name, const std::string& image);

// The state of a Job.
enum class JobEnd { kRunning, kComplete, kFailed };
JobEnd EndOf(const json::Value& job);

// The time limit of one Job, and a further limit for elections of leaders. If no leader is elected,
// the controller manager or the scheduler does not act on the Job.
struct JobLimits {
  std::chrono::milliseconds end{60'000};
  std::chrono::milliseconds leader{300'000};
};

// The context of one Job; client and clock must outlive it.
struct JobRun {
  kube::Client& client;
  host::Clock& clock;
  std::string image;
  JobLimits limits = {};
  std::stop_token stop = {};
};

// Creates a Job with a unique name, and returns the name.
std::string StartHealthJob(const JobRun& run);

// Waits until the Job of that name is complete, and removes it in any case. If the Job times out
// because the controller manager or the scheduler has no leader, the wait continues: another Job is
// started after the election. If the Job times out because the kubelet is late (JobTrouble),
// another Job is started once. Throws base::Error with the cause: kTimeout, kForbidden, or kOther
// for a Job that failed.
void WaitForHealthJob(const std::string& name, const JobRun& run);

}  // namespace upgrade
