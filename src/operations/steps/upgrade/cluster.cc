// SPDX-License-Identifier: Apache-2.0
// The steps of an upgrade that change the cluster's stored objects.
#include <fmt/core.h>

#include <functional>

#include "base/strings.h"
#include "base/utf8.h"
#include "config/feature_gates.h"
#include "config/images.h"
#include "config/paths.h"
#include "control_plane/running.h"
#include "join_secrets/bootstrap_rules.h"
#include "objects/node.h"
#include "releases/releases.h"
#include "static_pods/static_pod.h"
#include "steps/node/steps.h"
#include "steps/upgrade/steps.h"

namespace upgrade_steps {
namespace {

// Returns the image of the API server on upgraded nodes, including the user's patches.
std::string ImageHere(const UpgradeData& data) {
  const auto pod = static_pods::ReadManifest(data.machine.files, components::Component::kApiServer);
  return pod ? static_pods::FirstImage(*pod).value_or("")
             : config::ComponentImage(data.config.cluster, std::string(config::kApiServer));
}

// Returns whether the addon must be applied. Logs the reason if it is skipped.
bool Applies(UpgradeData& data, const char* addon, const std::function<bool()>& disabled,
             workflow::Context& context) {
  if (!data.ControlPlane()) {
    context.Print("[upgrade/addon] Skipping phase: this node has no control plane");
    return false;
  }
  data.LoadCluster(context);
  if (disabled()) {
    context.Print(fmt::format("[upgrade/addon] Skipping {}: the configuration disables it", addon));
    return false;
  }
  // The addons are upgraded together with the last node, because older API servers may not support
  // the requests of newer addons.
  const std::vector<std::string> behind = control_plane::NodesBehind(
      data.Client(context), data.config.init.node_registration.name, ImageHere(data));
  if (!behind.empty()) {
    context.Print(fmt::format(
        "[upgrade/addon] Skipping {} for now: these control-plane nodes are not upgraded yet: {}",
        addon, base::Visible(base::Join(behind, ", "))));
  }
  return behind.empty();
}

// Sets or removes the Node's annotation with the socket of its runtime, if the release uses this
// annotation. In releases before v1.37 a feature gate decides between the two.
void SettleSocketAnnotation(UpgradeData& data, workflow::Context& context) {
  using releases::SocketAnnotation;
  const SocketAnnotation fate =
      releases::For(data.config.cluster.kubernetes_version).socket_annotation;
  const config::NodeRegistration& node = data.config.init.node_registration;
  if (fate == SocketAnnotation::kByGate && !config::SocketIsLocal(data.config.cluster)) {
    objects::KeepCriSocket(data.Client(context), node.name, node.cri_socket);
  } else if (fate != SocketAnnotation::kUnused) {
    objects::ForgetCriSocket(data.Client(context), node.name);
  }
}

void RenewBootstrapRules(UpgradeData& data, workflow::Context& context) {
  context.Print("[bootstrap-token] Renewing the rules by which nodes join");
  kube::Client& client = data.Client(context);
  const join_secrets::JoinTokens tokens = join_secrets::FetchJoinTokens(client);
  if (tokens == join_secrets::JoinTokens::kBoundOnly) {
    context.Print("[bootstrap-token] Nodes join with bound tokens only, as before");
  }
  join_secrets::RenewBootstrapRules(client, releases::For(data.config.cluster.kubernetes_version),
                                    tokens);
}

}  // namespace

void UploadUpgradedConfig(UpgradeData& data, workflow::Context& context) {
  data.LoadCluster(context);
  data.world.Do(
      {.on_machine = [&] { UploadKubeadmConfig(data, context); },
       .in_dry_run = steps::Would(
           context,
           {"[dryrun] Would store the ClusterConfiguration in ConfigMap \"kubeadm-config\""})});
}

void UploadUpgradedKubeletConfig(UpgradeData& data, workflow::Context& context) {
  data.LoadCluster(context);
  data.world.Do(
      {.on_machine =
           [&] {
             UploadKubeletConfig(data, context);
             SettleSocketAnnotation(data, context);
           },
       .in_dry_run = steps::Would(
           context,
           {"[dryrun] Would store the kubelets' configuration in ConfigMap \"kubelet-config\""})});
}

void UpgradeBootstrapRules(UpgradeData& data, workflow::Context& context) {
  data.LoadCluster(context);
  data.world.Do(
      {.on_machine = [&] { RenewBootstrapRules(data, context); },
       .in_dry_run = steps::Would(
           context,
           {"[dryrun] Would renew the rules by which nodes join and cluster-info is read"})});
}

void UpgradeCoreDns(UpgradeData& data, workflow::Context& context) {
  if (Applies(data, "CoreDNS", [&] { return data.config.cluster.dns.disabled; }, context)) {
    data.world.Do({.on_machine = [&] { ApplyCoreDns(data, context); },
                   .in_dry_run = [&] { PrintCoreDns(data, context); }});
  }
}

void UpgradeKubeProxy(UpgradeData& data, workflow::Context& context) {
  if (Applies(data, "kube-proxy", [&] { return data.config.cluster.proxy.disabled; }, context)) {
    data.world.Do({.on_machine = [&] { ApplyKubeProxy(data, context); },
                   .in_dry_run = [&] { PrintKubeProxy(data, context); }});
  }
}

}  // namespace upgrade_steps
