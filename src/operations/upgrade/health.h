// SPDX-License-Identifier: Apache-2.0
// Whether a cluster is fit to be upgraded (reference: preflight.md §5).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "checks/check.h"
#include "host/host.h"
#include "json/value.h"
#include "kube/client.h"
#include "upgrade/health_job.h"

namespace upgrade {

// HealthInput of the checks; host and client outlive the checks.
struct HealthInput {
  host::Host& host;
  kube::Client& client;
  std::string pause_image;  // what the Job runs
  JobLimits job_limits = {};
  // Waits for or looks at something: does so, or in a dry run only says what it would do. The
  // client's transport is then one that only tells. Called from several threads.
  std::function<void(const std::string& would, const std::function<void()>& act)> perform =
      [](const std::string&, const std::function<void()>& act) { act(); };
};

// StateChecks are ControlPlaneNodesReady and StaticPodManifest. They come first: where they find
// something, no Job would end.
std::vector<checks::Check> StateChecks(const HealthInput& input);
// JobChecks is CreateJob: a Job is created, waited for and removed.
std::vector<checks::Check> JobChecks(const HealthInput& input);

// NotReady are the names of nodes without a condition Ready that is True.
std::vector<std::string> NotReady(const std::vector<json::Value>& nodes);

}  // namespace upgrade
