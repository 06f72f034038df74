// SPDX-License-Identifier: Apache-2.0
// Waiting until the cluster shows what was done to a control plane, and its kubelet, which follows.
#include <fmt/core.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "base/version.h"
#include "upgrade/mirror_pods.h"
#include "upgrade_path/gate.h"
#include "upgrade_path/kubelet_step.h"
#include "upgrade_path/path.h"
#include "upgrade_steps/steps.h"

namespace upgrade_steps {

using std::chrono::milliseconds;

void Settle(UpgradeData& data, const std::string& node, milliseconds steady,
            workflow::Context& context) {
  context.Print(
      fmt::format("[upgrade/path] Waiting until the control plane of {} is well", data.Version()));
  context.Progress("waiting for the control plane's Pods to be Ready");
  upgrade_path::WaitForHop({.client = data.Client(context),
                            .clock = data.machine.clock,
                            .node = node,
                            .version = data.Version(),
                            .limit = std::chrono::duration_cast<milliseconds>(
                                data.Timeout(&config::Timeouts::upgrade_manifests)),
                            .steady = steady,
                            .stop = context.Stop()});
}

namespace {

// How long a control plane must be well under a new kubelet, which replaces its containers within
// some seconds.
constexpr milliseconds kSteady{10'000};

// Nothing where the kubelet stays; said when that is not what the user asked for.
std::optional<base::Version> KubeletToCome(const UpgradeData& data, workflow::Context& context) {
  const UpgradeOptions& options = data.upgrade_options;
  const base::Version wanted = base::Version::Parse(data.Version()).value();
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
        fmt::format("[upgrade/kubelet] The kubelet stays as it is: none of those given "
                    "is of v{}.{}, up to {}",
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

void Bring(const base::Version& version, UpgradeData& data, workflow::Context& context) {
  const std::string& node = data.config.init.node_registration.name;
  const std::string runs = json::TextAt(data.Client(context).Get(kube::resources::kNode, "", node),
                                        {"status", "nodeInfo", "kubeletVersion"});
  const auto now = base::Version::ParseGeneric(runs);
  const bool comes = !now || *now < version;
  if (comes) {
    Replace(version, data, context);
  } else {
    context.Print(fmt::format("[upgrade/kubelet] The kubelet is at {} already", runs));
  }
  if (data.ControlPlane()) {
    Settle(data, node, comes ? kSteady : milliseconds(0), context);
  }
}

}  // namespace

void BringKubelet(UpgradeData& data, workflow::Context& context) {
  if (data.upgrade_options.kubelets.empty() && data.upgrade_options.kubelet_command.empty()) {
    return;
  }
  data.LoadCluster(context);
  const auto next = KubeletToCome(data, context);
  if (next) {
    data.world.Do({.act = [&] { Bring(*next, data, context); },
                   .show = world::Would(
                       context, {fmt::format("[upgrade/kubelet] Would bring the kubelet of this "
                                             "node to {}",
                                             next->TextWithV())})});
  }
}

void AwaitMirrors(UpgradeData& data, workflow::Context& context) {
  context.Progress("waiting for the cluster to show this node's static Pods");
  const auto stale = upgrade::AwaitMirrors({.client = data.Client(context),
                                            .host = data.host,
                                            .node = data.config.init.node_registration.name,
                                            .stop = context.Stop()});
  context.Progress({});
  if (stale) {
    context.Warn("upgrade no other node before the cluster shows what runs here: " + *stale);
  }
}

}  // namespace upgrade_steps
