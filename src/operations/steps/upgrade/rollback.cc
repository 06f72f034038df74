// SPDX-License-Identifier: Apache-2.0
// The rollback of this node's last upgrade.
#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "base/version.h"
#include "config_change/encryption.h"
#include "control_plane/running.h"
#include "control_plane/soak.h"
#include "kube/client.h"
#include "kubelet/local_runtime.h"
#include "kubelet/service.h"
#include "kubelet/version.h"
#include "kubelet/wait.h"
#include "node_input/load_config.h"
#include "static_pods/static_pod.h"
#include "steps/node/steps.h"
#include "steps/upgrade/steps.h"
#include "stored_config/upload.h"
#include "upgrade/kept_config.h"

namespace upgrade_steps {
namespace {

std::optional<base::Version> VersionOf(const std::optional<json::Value>& pod) {
  return base::Version::Parse(control_plane::ImageTag(
      static_pods::FirstImage(pod.value_or(json::Value::object())).value_or("")));
}

// Returns this node's version before the upgrade. On a node that follows the cluster's upgrade, the
// record contains only the new version, so the version comes from the old manifests.
std::string VersionBefore(const control_plane::UpgradeRecord& record, const host::Files& files) {
  const auto old =
      VersionOf(control_plane::KeptPod(files, record, components::Component::kApiServer));
  return old ? old->TextWithV() : record.from;
}

void SayPlan(const control_plane::UpgradeRecord& record, bool with_data, const host::Files& files,
             workflow::Context& context) {
  const std::string before = VersionBefore(record, files);
  context.Print(fmt::format("[upgrade/rollback] Undoing the upgrade{} to {} on this node",
                            before == record.to ? "" : " from " + before, record.to));
  for (const auto& [component, directory] : record.manifests) {
    const bool may_stay = !with_data && component == components::Name(components::Component::kEtcd);
    context.Print(fmt::format("[upgrade/rollback] {} comes back from {}{}", component, directory,
                              may_stay ? ", unless it has served in another minor version" : ""));
  }
  for (const std::string& component : control_plane::ChangedSince(files, record)) {
    context.Warn(
        fmt::format("the manifest of {} was changed after the upgrade, and that change is lost as "
                    "well: run 'kubeadm config apply node' afterwards to write the manifest of the "
                    "cluster's configuration",
                    component));
  }
  if (!record.kubelet_config.empty()) {
    context.Print(fmt::format("[upgrade/rollback] the kubelet's configuration comes back from {}",
                              record.kubelet_config));
  }
}

// Warns of a kubelet that is newer than the API server after the rollback, which Kubernetes does
// not support.
void WarnOfNewerKubelet(const control_plane::UpgradeRecord& record, host::Host& host,
                        workflow::Context& context) {
  const auto installed = kubelet::CollectVersion(host);
  const auto before = base::Version::Parse(VersionBefore(record, host.files));
  if (installed && before &&
      std::pair(installed->major, installed->minor) > std::pair(before->major, before->minor)) {
    context.Warn(
        fmt::format("the kubelet of this node is {}, newer than the {} to which its control plane "
                    "is rolled back, "
                    "which Kubernetes does not support: install a kubelet of {} first",
                    installed->TextWithV(), before->TextWithV(), before->TextWithV()));
  }
}

// Returns whether the manifest is readable. An unreadable manifest runs no Pod, and a rollback
// repairs it.
bool IsReadable(components::Component component, const host::Files& files) {
  try {
    static_pods::ReadManifest(files, component);
    return true;
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kInvalid) {
      throw;
    }
    return false;
  }
}

// Throws base::Error if the old manifests have an address that this machine no longer has.
void RequireSameAddress(const control_plane::UpgradeRecord& record, const host::Files& files) {
  constexpr auto kApiServer = components::Component::kApiServer;
  const auto kept = control_plane::KeptPod(files, record, kApiServer);
  const auto now = static_pods::ReadManifest(files, kApiServer);
  if (!kept || !now) {
    return;
  }
  const auto before = static_pods::CommandArg(*kept, "advertise-address");
  const auto after = static_pods::CommandArg(*now, "advertise-address");
  if (before && after && before != after) {
    throw base::Error(
        base::Error::Kind::kConflict,
        fmt::format("nothing was changed: this node has moved from {} to {} since the upgrade, and "
                    "its old manifests have the old address; give the old address to the node "
                    "first ('kubeadm node readdress')",
                    *before, *after));
  }
}

// Throws base::Error(kConflict) if another program, such as upstream's kubeadm, has upgraded this
// node since. Such an upgrade must not be rolled back here.
void RequireSameUpgrade(const control_plane::UpgradeRecord& record, const host::Files& files) {
  const auto to = base::Version::Parse(record.to);
  for (const components::Component component : components::kControlPlane) {
    if (!IsReadable(component, files)) {
      continue;
    }
    const auto kept = VersionOf(control_plane::KeptPod(files, record, component));
    const auto now = VersionOf(static_pods::ReadManifest(files, component));
    if (to && kept && now && now->minor != to->minor && now->minor != kept->minor) {
      throw base::Error(
          base::Error::Kind::kConflict,
          fmt::format(
              "nothing was changed: the last recorded upgrade of this node was from {} to {}, "
              "and {} is at {}: this node was upgraded again since, by another program",
              kept->TextWithV(), record.to, components::Name(component), now->TextWithV()));
    }
  }
}

// Throws base::Error(kConflict) if the cluster's configuration is no longer the configuration of
// this upgrade.
void RequireSameCluster(const control_plane::UpgradeRecord& record, const std::string& stored) {
  if (record.command == "apply" && stored != record.to && stored != record.from) {
    throw base::Error(
        base::Error::Kind::kConflict,
        fmt::format("nothing was changed: the upgrade was from {} to {}, and the cluster's "
                    "configuration names {} by now: undo that upgrade first, on the node where it "
                    "was begun",
                    record.from, record.to, stored));
  }
}

void RequireThatItCanServe(const control_plane::UpgradeRecord& record, const host::Files& files) {
  RequireSameUpgrade(record, files);
  if (IsReadable(components::Component::kApiServer, files)) {
    RequireSameAddress(record, files);
    config_change::RequireSameKeysToUndo(
        files, control_plane::KeptPod(files, record, components::Component::kApiServer));
  }
}

void PutBackKubeletConfig(const control_plane::UpgradeRecord& record, UpgradeData& data,
                          workflow::Context& context) {
  if (record.kubelet_config.empty()) {
    return;
  }
  upgrade::PutBackKubeletConfig(record, data.host.files);
  context.Print(
      "[upgrade/rollback] Put back the kubelet's configuration; restart the kubelet, of the old "
      "version, to use it");
}

// If the kubelet does not run with the new configuration, restores its old configuration first.
// Otherwise it would not start the old static Pods.
void HelpKubelet(const control_plane::UpgradeRecord& record, UpgradeData& data,
                 workflow::Context& context) {
  if (record.kubelet_config.empty()) {
    return;
  }
  try {
    kubelet::RequireRunning(data.host, context.Stop());
  } catch (const base::Error& error) {
    context.Print("[upgrade/rollback] " + error.message() +
                  ": restarting it with the old configuration");
    upgrade::PutBackKubeletConfig(record, data.host.files);
    kubelet::RestartKubelet(data.host);
  }
}

// Rolls kube-proxy back if the upgrade has upgraded it. The upgrade skips kube-proxy if it is
// absent, or if it must wait for other nodes.
void PutBackKubeProxy(const control_plane::UpgradeRecord& record, UpgradeData& data,
                      workflow::Context& context) {
  const auto found =
      data.Client(context).Find({kube::resources::kDaemonSet, "kube-system", "kube-proxy"});
  if (!found || data.config.cluster.proxy.disabled) {
    return;
  }
  const json::Value& pod = json::At(*found, {"spec", "template"});
  if (control_plane::ImageTag(static_pods::FirstImage(pod).value_or("")) == record.from) {
    return;
  }
  data.options.patches_directory = data.machine.files.Exists(record.patches) ? record.patches : "";
  ApplyKubeProxy(data, context);
}

// Returns whether this upgrade has begun the soak. If the old manifest already has the argument, a
// user has set it earlier.
bool BeganToSoak(const control_plane::UpgradeRecord& record, const host::Files& files) {
  const auto kept = control_plane::KeptPod(files, record, components::Component::kApiServer);
  return kept && !static_pods::CommandArg(*kept, control_plane::kEmulatedVersion);
}

// Rolls back the objects that `upgrade apply` has written to the cluster. Keeps CoreDNS, because it
// also serves older versions.
void PutBackCluster(const control_plane::UpgradeRecord& record, UpgradeData& data,
                    workflow::Context& context) {
  if (record.command != "apply") {
    return;
  }
  if (BeganToSoak(record, data.machine.files)) {
    control_plane::EndSoak(data.config.cluster);
  }
  data.config.cluster.kubernetes_version = record.from;
  context.Print(
      fmt::format("[upgrade/rollback] The cluster's configuration names {} again", record.from));
  stored_config::UploadKubeadmConfig(data.Client(context), data.config.cluster);
  PutBackKubeProxy(record, data, context);
}

// Returns the configuration for the rollback, from this node's own files.
config::Init ConfigOfFiles(const control_plane::UpgradeRecord& record, host::Host& host) {
  const auto pod = control_plane::KeptPod(host.files, record, components::Component::kApiServer);
  const std::string certificate =
      static_pods::CommandArg(pod.value_or(json::Value::object()), "tls-cert-file").value_or("");
  config::Init config =
      node_input::LoadInit(host, "",
                           {.apiserver_advertise_address = node_input::kAnyAddress,
                            .cert_dir = fs::path(certificate).parent_path().string()});
  config.init.node_registration.cri_socket = kubelet::LocalCriSocket(host);
  return config;
}

// Loads the configuration from the cluster; returns whether it has answered. If it does not answer,
// this node is rolled back first, because the upgrade may be the cause.
bool LoadsCluster(const control_plane::UpgradeRecord& record, UpgradeData& data,
                  workflow::Context& context) {
  try {
    data.LoadCluster(context);
    return true;
  } catch (const base::Error& error) {
    if (record.manifests.empty() || !kube::IsPassing(error)) {
      throw;
    }
    context.Print(
        "[upgrade/rollback] The cluster's configuration cannot be read; this node is rolled back "
        "first: " +
        error.message());
    data.config = ConfigOfFiles(record, data.host);
    return false;
  }
}

void PutBack(const control_plane::UpgradeRecord& record, UpgradeData& data,
             workflow::Context& context) {
  RequireConsent(data);
  const bool knows_cluster = LoadsCluster(record, data, context);
  if (knows_cluster) {
    RequireSameCluster(record, data.config.cluster.kubernetes_version);
  }
  data.Record() = record;
  HelpKubelet(record, data, context);
  UndoControlPlane(data, context);
  if (!knows_cluster) {
    data.LoadCluster(context);
  }
  PutBackKubeletConfig(record, data, context);
  PutBackCluster(record, data, context);
  if (!record.manifests.empty()) {
    WaitForMirrors(data, context);
  }
  // The record is removed last: until then a repeated command continues the rollback.
  control_plane::RemoveRecord(data.host.files);
}

// Returns whether the record belongs to the upgrade that the caller means. It may belong to an
// older upgrade, because an upgrade that fails before its first change leaves no record.
bool IsMeant(const std::string& only_to, const host::Files& files) {
  if (only_to.empty()) {
    return true;
  }
  const auto record = control_plane::LoadRecord(files);
  return record && record->to == only_to;
}

}  // namespace

void RollBack(UpgradeData& data, workflow::Context& context) {
  data.world.Do({.on_machine = [&] { CheckRoot(data, context); }});
  const std::string& only_to = data.upgrade_options.only_to;
  if (!IsMeant(only_to, data.machine.files)) {
    context.Print(fmt::format(
        "[upgrade/rollback] Nothing to undo: no upgrade to {} has changed this node", only_to));
    data.upgrade_options.nothing_to_undo = true;
    return;
  }
  const control_plane::UpgradeRecord record = control_plane::LastUpgrade(data.machine.files);
  RequireThatItCanServe(record, data.machine.files);
  SayPlan(record, data.upgrade_options.with_data, data.machine.files, context);
  WarnOfNewerKubelet(record, data.machine, context);
  if (data.upgrade_options.with_data) {
    RequireRestorableData(record, data.machine, context);
  }
  data.world.Do({.on_machine = [&] { PutBack(record, data, context); }});
}

}  // namespace upgrade_steps
