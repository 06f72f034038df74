// SPDX-License-Identifier: Apache-2.0
// Who leads the components of a control plane of which one instance works at a time
// (kubernetes.io/docs/concepts/architecture/leases).
#pragma once

#include <array>
#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "components/table.h"
#include "host/host.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace upgrade {

// kElecting are the components that elect a leader.
inline constexpr std::array kElecting = {components::Component::kControllerManager,
                                         components::Component::kScheduler};

// Leader is what a component's Lease says. Who leads renews it every two seconds.
struct Leader {
  std::string holder;   // one process: "HOSTNAME_3f0c…"; "": it was given back, and nobody leads
  std::string renewed;  // RFC 3339
  bool operator==(const Leader&) const = default;
};

// FindLeader is nothing where there is no Lease: nobody has led yet, or none is elected.
std::optional<Leader> FindLeader(kube::Client& client, components::Component component);

// EndedProcesses are those that ran on this machine before; client and host outlive the call.
struct EndedProcesses {
  kube::Client& client;
  host::Host& host;
  // All that were started before that time have ended, whatever the manifests say.
  std::chrono::system_clock::time_point all_before = {};
  std::stop_token stop = {};
};

// ReleaseLeases gives the Leases back that processes of this machine hold which have ended: a
// controller manager does not do so itself, nor does a scheduler whose API server ends with it, and
// the next one waits for 15 s until the Lease is over. To be called when the components of this
// machine serve. What it touches was acquired by this host's name before the component's manifest
// was written here, or before `all_before`, and is not renewed for some seconds, in which it
// watches: of a host of the same name somebody would be. What cannot be given back runs out by
// itself. Throws base::Error(kCancelled) only.
void ReleaseLeases(const EndedProcesses& ended);

// Elects is whether the component, by its manifest on this machine, takes part in the election.
bool Elects(const host::Files& files, components::Component component);

// LeadProbe: what runs on this machine has acquired the Lease after `since` (a kube::MicroTime) and
// renews it some seconds later. It answers before it leads, and may end when it begins to work; the
// first renewal comes at once. Where another machine leads, there is nothing to wait for. Client
// and host outlive the probe.
kube::Probe LeadProbe(kube::Client& client, const host::Host& host, components::Component component,
                      std::string since);

}  // namespace upgrade
