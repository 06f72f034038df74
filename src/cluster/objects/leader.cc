// SPDX-License-Identifier: Apache-2.0
#include "objects/leader.h"

#include <algorithm>
#include <chrono>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "kube/lease.h"
#include "kube/objects.h"
#include "static_pods/static_pod.h"

namespace objects {
namespace {

using base::Error;
using components::Component;

// Twice the renewal interval of a leader's Lease.
constexpr std::chrono::seconds kWatch{4};

std::optional<json::Value> FindLease(kube::Client& client, Component component) {
  return client.Find(
      {kube::resources::kLease, kube::kSystemNamespace, std::string(components::Name(component))});
}

// Returns HOSTNAME of "HOSTNAME_UUID".
std::string_view HostOf(std::string_view holder) { return holder.substr(0, holder.rfind('_')); }

// Returns whether the process that acquired the Lease was on this machine and has ended.
bool IsOfEnded(const json::Value& lease, Component component, const EndedProcesses& ended) {
  const host::Host& host = ended.host;
  const std::string holder = json::TextAt(lease, {"spec", "holderIdentity"});
  const auto acquired = json::ParseRfc3339(json::TextAt(lease, {"spec", "acquireTime"}));
  const auto manifest = host.files.Stat(components::ManifestPath(component));
  return !holder.empty() && HostOf(holder) == host.machine.Hostname() && acquired && manifest &&
         *acquired + std::chrono::seconds(1) < std::max(manifest->modified, ended.all_before);
}

std::vector<json::Value> FindEnded(const EndedProcesses& ended) {
  std::vector<json::Value> leases;
  for (const Component component : kElecting) {
    auto lease = FindLease(ended.client, component);
    if (lease && IsOfEnded(*lease, component, ended)) {
      leases.push_back(*std::move(lease));
    }
  }
  return leases;
}

// Releases the Lease that was read. Does not release it if another process has written it since:
// the Lease then has another resourceVersion.
void Release(kube::Client& client, const json::Value& lease) {
  const std::string name = json::TextAt(lease, {"metadata", "name"});
  base::LogInfo(1, "the Lease of {} is released: the process that held it has ended", name);
  try {
    client.Update(kube::resources::kLease, kube::Released(lease));
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kConflict) {
      throw;
    }
  }
}

}  // namespace

std::optional<Leader> FindLeader(kube::Client& client, Component component) {
  const auto lease = FindLease(client, component);
  return lease ? std::optional(Leader{.holder = json::TextAt(*lease, {"spec", "holderIdentity"}),
                                      .renewed = json::TextAt(*lease, {"spec", "renewTime"})})
               : std::nullopt;
}

bool Elects(const host::Files& files, Component component) {
  const auto pod = static_pods::ReadManifest(files, component);
  return pod && static_pods::CommandArg(*pod, "leader-elect") != "false" &&
         !static_pods::CommandArg(*pod, "leader-elect-resource-name") &&
         !static_pods::CommandArg(*pod, "leader-elect-resource-namespace");
}

kube::Probe LeadProbe(kube::Client& client, const host::Host& host, Component component,
                      std::string since) {
  return [&client, &host, component,
          since = std::move(since)](const std::stop_token&) -> std::optional<kube::NotYet> {
    const json::Value lease = FindLease(client, component).value_or(json::Value());
    const std::string holder = json::TextAt(lease, {"spec", "holderIdentity"});
    const std::string acquired = json::TextAt(lease, {"spec", "acquireTime"});
    if (!holder.empty() && HostOf(holder) != host.machine.Hostname()) {
      return std::nullopt;
    }
    const auto from = json::ParseRfc3339(acquired);
    const auto until = json::ParseRfc3339(json::TextAt(lease, {"spec", "renewTime"}));
    if (!holder.empty() && acquired > since && from && until && *until - *from >= kWatch) {
      return std::nullopt;
    }
    return kube::NotYet{"it answers, but has not led for some seconds yet"};
  };
}

void ReleaseLeases(const EndedProcesses& ended) {
  try {
    const std::vector<json::Value> leases = FindEnded(ended);
    if (leases.empty()) {
      return;
    }
    if (!ended.host.clock.Sleep(kWatch, ended.stop)) {
      throw base::Interrupted("interrupted");
    }
    std::ranges::for_each(leases, [&](const json::Value& lease) { Release(ended.client, lease); });
  } catch (const Error& error) {
    base::LogInfo(1, "Leases of processes that have ended are left to expire: {}", error.message());
  }
}

}  // namespace objects
