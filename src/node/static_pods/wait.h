// SPDX-License-Identifier: Apache-2.0
// Waiting for the components of a control plane to become healthy (reference: phases.md §6).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "checks/finding.h"
#include "components/diagnosis.h"
#include "config/types.h"
#include "kube/wait.h"
#include "static_pods/endpoints.h"

namespace static_pods {

// A component and its health probe.
struct ComponentProbe {
  std::string name;  // "kube-apiserver"
  std::string url;   // shown to the user
  kube::Probe probe;
};

// Returns probes that query the API server through `transport` (which verifies its certificate),
// and the other components at their URLs.
std::vector<ComponentProbe> ProbesFor(const std::vector<ComponentEndpoint>& endpoints,
                                      const std::shared_ptr<kube::Transport>& transport);

// The result of one wait.
struct ComponentHealth {
  std::string name;
  std::string url;
  std::chrono::nanoseconds took{0};
  std::optional<std::string> problem;  // why it is not healthy
  bool healthy() const { return !problem; }
};

// The request of WaitForComponents.
struct WaitRequest {
  host::Clock& clock;  // must outlive the wait
  std::chrono::milliseconds limit{240'000};
  std::stop_token stop;
  // Receives each component's result immediately, one call at a time; may be empty.
  std::function<void(const ComponentHealth&)> on_end;
  // Receives likely findings during the wait. A finding is reported once for each pair of subject
  // and evidence, after it has persisted for two seconds. Calls never overlap; may be empty.
  std::function<void(const checks::Finding&)> on_likely;
  // Facts of the node while it is unhealthy; the wait fills in `healthy`. May be empty.
  std::function<components::ControlPlaneFacts()> facts;
};

// The result of a wait. Its components have the order of the probes.
struct WaitOutcome {
  std::vector<ComponentHealth> components;
  std::optional<checks::Finding> diagnosis;  // of the unhealthy components
  bool healthy() const;
};

// Queries all components in parallel: first immediately, then with increasing pauses. A certain
// diagnosis ends the wait early for all components. Throws base::Interrupted after a stop request.
WaitOutcome WaitForComponents(const std::vector<ComponentProbe>& probes,
                              const WaitRequest& request);

// Throws base::Error(kTimeout) unless all components are healthy. The message names the unhealthy
// components and the duration of the wait. It ends with the diagnosis or, without a diagnosis, with
// the reason of each component.
void RequireHealthy(const WaitOutcome& outcome);

}  // namespace static_pods
