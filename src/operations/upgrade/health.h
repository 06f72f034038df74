// SPDX-License-Identifier: Apache-2.0
// Health checks of a cluster before an upgrade (reference: preflight.md §5).
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

// The inputs of the checks; host and client must outlive the checks.
struct HealthInput {
  host::Host& host;
  kube::Client& client;
  std::string pause_image;  // the Job's image
  JobLimits job_limits = {};
  // Performs a wait or a check. In a dry run it only prints `would`, because the client's transport
  // only reports writes. Called from several threads.
  std::function<void(const std::string& would, const std::function<void()>& act)> perform =
      [](const std::string&, const std::function<void()>& act) { act(); };
};

// Returns the checks ControlPlaneNodesReady and StaticPodManifest. They run before check CreateJob,
// because a Job cannot complete if one of them has a finding.
std::vector<checks::Check> StateChecks(const HealthInput& input);
// Returns the check CreateJob, which creates a Job, waits for it and removes it.
std::vector<checks::Check> JobChecks(const HealthInput& input);

// Returns the names of nodes without a condition Ready that is True.
std::vector<std::string> NotReady(const std::vector<json::Value>& nodes);

}  // namespace upgrade
