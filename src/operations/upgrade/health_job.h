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

// The Job's time limit, and an additional limit for the election of a leader by the components that
// process it.
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

// Waits until the Job of that name is complete, and removes it in any case. A timeout before the
// controller manager or the scheduler has elected a leader does not count as a failure of the
// cluster: after the election another Job is started. Another Job is also started, once, if the
// kubelet had not acknowledged the Pod. Throws base::Error with the cause: kTimeout, kForbidden, or
// kOther for a Job that failed.
void WaitForHealthJob(const std::string& name, const JobRun& run);

}  // namespace upgrade
