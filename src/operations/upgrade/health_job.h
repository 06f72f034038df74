// SPDX-License-Identifier: Apache-2.0
// The Job that shows whether a cluster can still run something (reference: preflight.md §5).
#pragma once

#include <chrono>
#include <stop_token>
#include <string>

#include "host/clock.h"
#include "json/fwd.h"
#include "kube/client.h"

namespace upgrade {

json::Value HealthJob(const std::string& name, const std::string& image);

// JobEnd: how far a Job is.
enum class JobEnd { kRunning, kComplete, kFailed };
JobEnd EndOf(const json::Value& job);

// JobLimits: how long a Job gets, and how long the components that act on it may be without a
// leader beyond that.
struct JobLimits {
  std::chrono::milliseconds end{60'000};
  std::chrono::milliseconds leader{300'000};
};

// JobRun is what it takes to run one; client and clock outlive it.
struct JobRun {
  kube::Client& client;
  host::Clock& clock;
  std::string image;
  JobLimits limits = {};
  std::stop_token stop = {};
};

// StartHealthJob creates a Job with a name of its own, and returns that.
std::string StartHealthJob(const JobRun& run);

// WaitForHealthJob waits until the Job of that name is complete; it is removed, whatever becomes of
// it. One whose time went by before the controller manager or the scheduler had found a leader says
// nothing of the cluster: as soon as there is one, another is started. So is one, once, when the
// kubelet had not taken notice of its Pod.
// Throws base::Error with what held it up.
void WaitForHealthJob(const std::string& name, const JobRun& run);

}  // namespace upgrade
