// SPDX-License-Identifier: Apache-2.0
// Leaders of the control-plane components that use leader election
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

namespace objects {

// The components that elect a leader.
inline constexpr std::array kElecting = {components::Component::kControllerManager,
                                         components::Component::kScheduler};

// The content of a component's Lease. The leader renews it every two seconds.
struct Leader {
  // The process that holds the Lease ("HOSTNAME_3f0c…"). "": the Lease is released, and has no new
  // holder.
  std::string holder;
  std::string renewed;  // RFC 3339
  bool operator==(const Leader&) const = default;
};

// Returns the content of the component's Lease. Returns std::nullopt without a Lease: no process
// has been the leader yet, or the component has no leader election.
std::optional<Leader> FindLeader(kube::Client& client, components::Component component);

// The input of ReleaseLeases, about processes of this machine. Client and host must outlive the
// call.
struct EndedProcesses {
  kube::Client& client;
  host::Host& host;
  // All processes that started before this time have ended, whatever the manifests contain.
  std::chrono::system_clock::time_point all_before = {};
  std::stop_token stop = {};
};

// Releases the Leases of processes that ended on this machine. A controller manager never releases
// its Lease, and a scheduler cannot release its Lease if the API server ends at the same time.
// Without this call the next leader would wait 15 s until the Lease expires. Call it when the
// components of this machine serve.
//
// A Lease is released only if this host's name acquired it before the component's manifest was
// written, or before `all_before`. It must also stay unrenewed for some seconds, because another
// host of the same name would renew it. A Lease that cannot be released expires by itself. Throws
// base::Interrupted only.
void ReleaseLeases(const EndedProcesses& ended);

// Returns whether the component takes part in the election, by its manifest on this machine.
bool Elects(const host::Files& files, components::Component component);

// Returns a probe that succeeds once a process of this machine has acquired the Lease after `since`
// (a kube::MicroTime). The process must also renew it some seconds afterwards. Health alone is not
// enough: a process answers before it leads, and may exit when it begins to lead. The first renewal
// is ignored, because it follows immediately. If another machine leads, the probe succeeds
// immediately. Client and host must outlive the probe.
kube::Probe LeadProbe(kube::Client& client, const host::Host& host, components::Component component,
                      std::string since);

}  // namespace objects
