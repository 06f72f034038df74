// SPDX-License-Identifier: Apache-2.0
// Waits until the cluster shows the upgraded control plane of this node, and upgrades its kubelet.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <iterator>
#include <optional>
#include <set>

#include "base/version.h"
#include "components/table.h"
#include "cri/runtime.h"
#include "kube/wait.h"
#include "kubelet/service.h"
#include "objects/leader.h"
#include "static_pods/restart.h"
#include "static_pods/serving.h"
#include "static_pods/static_pod.h"
#include "steps/upgrade/steps.h"
#include "upgrade/mirror_pods.h"
#include "upgrade_path/gate.h"
#include "upgrade_path/kubelet_step.h"
#include "upgrade_path/path.h"

namespace upgrade_steps {

using std::chrono::milliseconds;

namespace {

// The time for which the components must stay healthy under a new kubelet. A new kubelet that
// replaces the components' containers does so within some seconds.
constexpr milliseconds kSteady{10'000};

// Returns the probes. Each component must serve with the files on disk. Its mirror Pod must be up
// to date, because the next hop of the upgrade reads the mirror Pods.
std::vector<kube::Probe> ProbesOf(UpgradeData& data, workflow::Context& context) {
  const config::Init& config = data.config;
  const static_pods::ProbeOf serving =
      static_pods::ServingProbes(data.host, config.cluster, config.init.local_api_endpoint);
  std::vector<kube::Probe> probes;
  for (const components::Component component : components::kComponents) {
    if (static_pods::ReadManifest(data.host.files, component)) {
      probes.push_back(static_pods::UntilAnswered(serving(component)));
    }
  }
  probes.push_back(
      upgrade::FreshMirrors(data.Client(context), data.host, config.init.node_registration.name));
  return probes;
}

// The replacement of the kubelet. A kubelet of another minor version restarts every container.
struct Swap {
  std::chrono::system_clock::time_point begin = {};
  std::function<bool()> old_containers_run = {};  // empty: no restart of containers is expected
};

void Settle(UpgradeData& data, const Swap& swap, workflow::Context& context) {
  context.Print(fmt::format("[upgrade/path] Waiting until the control plane of {} is healthy",
                            data.Version()));
  context.Progress("waiting for the control plane to serve");
  upgrade_path::WaitForHop({.client = data.Client(context),
                            .clock = data.machine.clock,
                            .node = data.config.init.node_registration.name,
                            .version = data.Version(),
                            .limit = std::chrono::duration_cast<milliseconds>(
                                data.Timeout(&config::Timeouts::upgrade_manifests)),
                            .probes = ProbesOf(data, context),
                            .old_containers_run = swap.old_containers_run,
                            .steady = kSteady,
                            .stop = context.Stop()});
  const bool swapped = swap.old_containers_run && !swap.old_containers_run();
  // Releases the Leases, because the health check of the next hop needs a leader of the controller
  // managers and of the schedulers.
  objects::ReleaseLeases(
      {.client = data.Client(context),
       .host = data.machine,
       .all_before = swapped ? swap.begin : std::chrono::system_clock::time_point(),
       .stop = context.Stop()});
}

// Returns the running containers of the control plane on this machine.
std::set<std::string> ContainersOf(cri::Runtime& runtime) {
  std::set<std::string> all;
  for (const components::Component component : components::kComponents) {
    all.merge(static_pods::FindRunning(component, runtime).containers);
  }
  return all;
}

// Returns the version for the kubelet; std::nullopt if the kubelet is not upgraded. Logs the reason
// if the user has requested an upgrade.
std::optional<base::Version> KubeletToCome(const UpgradeData& data, workflow::Context& context) {
  const UpgradeOptions& options = data.upgrade_options;
  base::Version wanted = base::Version::Parse(data.Version()).value();
  if (!options.kubelet_command.empty()) {
    return wanted;
  }
  if (options.kubelets.empty()) {
    return std::nullopt;
  }
  std::vector<base::Version> given;
  std::ranges::transform(options.kubelets, std::back_inserter(given),
                         &upgrade_path::KubeletProgram::version);
  const auto next = upgrade_path::FollowingKubelet(given, wanted);
  if (!next) {
    context.Print(
        fmt::format("[upgrade/kubelet] The kubelet stays as it is: no given kubelet is of v{}.{}, "
                    "and at most {}",
                    wanted.major, wanted.minor, wanted.TextWithV()));
  }
  return next;
}

void Replace(const base::Version& version, UpgradeData& data, workflow::Context& context) {
  upgrade_path::BringKubelet(
      {.host = data.host,
       .client = data.Client(context),
       .node = data.config.init.node_registration.name,
       .version = version,
       .programs = data.upgrade_options.kubelets,
       .command = data.upgrade_options.kubelet_command,
       .limit = std::chrono::minutes(4),
       .stop = context.Stop(),
       .say = [&](const std::string& line) { context.Print("[upgrade/kubelet] " + line); }});
}

// Replaces the kubelet and waits until the control plane is healthy. Queries the container runtime
// for the containers that a kubelet has started. The cluster's information may be from before the
// replacement of the API server.
void ReplaceAndSettle(const base::Version& version, UpgradeData& data, workflow::Context& context) {
  const auto runtime = static_pods::ConnectForRestarts(
      data.config.init.node_registration.cri_socket, data.host, context.Stop());
  const std::set<std::string> before = ContainersOf(*runtime);
  const auto begin = data.machine.clock.Now();
  Replace(version, data, context);
  const auto old_containers_run = [&] {
    const std::set<std::string> now = ContainersOf(*runtime);
    return std::ranges::any_of(before, [&](const auto& id) { return now.contains(id); });
  };
  Settle(data, {.begin = begin, .old_containers_run = old_containers_run}, context);
}

void Bring(const base::Version& version, UpgradeData& data, workflow::Context& context) {
  const std::string& node = data.config.init.node_registration.name;
  const std::string runs =
      json::TextAt(data.Client(context).Get({kube::resources::kNode, "", node}),
                   {"status", "nodeInfo", "kubeletVersion"});
  const auto now = base::Version::ParseGeneric(runs);
  const bool unconfirmed =
      upgrade_path::HasUnconfirmedKubelet(data.host, data.upgrade_options.kubelets, context.Stop());
  if (now && *now >= version && !unconfirmed) {
    context.Print(fmt::format("[upgrade/kubelet] The kubelet is at {} already", runs));
    if (data.ControlPlane()) {
      SettleControlPlane(data, context);
    }
  } else if (data.ControlPlane()) {
    ReplaceAndSettle(version, data, context);
  } else {
    Replace(version, data, context);
  }
}

// Restarts the kubelet. A kubelet that has lost its API server may wait up to a minute before its
// next retry. It receives no new Pod during this time.
void RestartKubelet(UpgradeData& data, workflow::Context& context) {
  context.Print("[upgrade/path] Restarting the kubelet: it has lost its API server for a while");
  const kubelet::ServiceResult result = kubelet::RestartKubelet(data.machine);
  if (result.outcome == kubelet::ServiceResult::Outcome::kFailed) {
    context.Print("[upgrade/path] The kubelet could not be restarted: " + result.problem);
  } else if (result.outcome != kubelet::ServiceResult::Outcome::kDone) {
    context.Print(
        "[upgrade/path] There is no service of the kubelet that kubeadm knows: it may take a "
        "minute until it hears of new Pods");
  }
}

}  // namespace

void SettleControlPlane(UpgradeData& data, workflow::Context& context) {
  RestartKubelet(data, context);
  Settle(data, Swap{}, context);
}

void BringKubelet(UpgradeData& data, workflow::Context& context) {
  if (data.upgrade_options.kubelets.empty() && data.upgrade_options.kubelet_command.empty()) {
    return;
  }
  data.LoadCluster(context);
  const auto next = KubeletToCome(data, context);
  if (next) {
    data.world.Do({.on_machine = [&] { Bring(*next, data, context); },
                   .in_dry_run = steps::Would(
                       context, {fmt::format("[upgrade/kubelet] Would bring the kubelet of this "
                                             "node to {}",
                                             next->TextWithV())})});
  }
}

void WaitForMirrors(UpgradeData& data, workflow::Context& context) {
  context.Progress("waiting for the cluster to show this node's static Pods");
  const auto stale = upgrade::WaitForMirrors({.client = data.Client(context),
                                              .host = data.host,
                                              .node = data.config.init.node_registration.name,
                                              .stop = context.Stop()});
  context.Progress({});
  if (stale) {
    context.Warn(
        "upgrade no other node before the cluster shows this node's present "
        "Pods: " +
        *stale);
  }
}

}  // namespace upgrade_steps
