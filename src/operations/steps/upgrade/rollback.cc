// SPDX-License-Identifier: Apache-2.0
// The rollback of this node's last upgrade.
#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "base/version.h"
#include "config_change/encryption.h"
#include "kube/client.h"
#include "kubelet/local_runtime.h"
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "node_input/load_config.h"
#include "static_pods/static_pod.h"
#include "steps/node/steps.h"
#include "steps/upgrade/steps.h"
#include "stored_config/upload.h"
#include "upgrade/backup.h"
#include "upgrade/running.h"
#include "upgrade/soak.h"
#include "upgrade_path/kubelet_step.h"

namespace upgrade_steps {
namespace {

std::optional<base::Version> VersionOf(const std::optional<json::Value>& pod) {
  return base::Version::Parse(
      upgrade::ImageTag(static_pods::FirstImage(pod.value_or(json::Value::object())).value_or("")));
}

// Returns this node's version before the upgrade. On a node that follows the cluster's upgrade, the
// record contains only the new version, so the version comes from the old manifests.
std::string VersionBefore(const upgrade::UpgradeRecord& record, const host::Files& files) {
  const auto old = VersionOf(upgrade::KeptPod(files, record, components::Component::kApiServer));
  return old ? old->TextWithV() : record.from;
}

void SayPlan(const upgrade::UpgradeRecord& record, bool with_data, const host::Files& files,
             workflow::Context& context) {
  const std::string before = VersionBefore(record, files);
  context.Print(fmt::format("[upgrade/rollback] Undoing the upgrade{} to {} on this node",
                            before == record.to ? "" : " from " + before, record.to));
  for (const auto& [component, directory] : record.manifests) {
    const bool may_stay = !with_data && component == components::Name(components::Component::kEtcd);
    context.Print(fmt::format("[upgrade/rollback] {} comes back from {}{}", component, directory,
                              may_stay ? ", unless it has served in another minor version" : ""));
  }
  for (const std::string& component : upgrade::ChangedSince(files, record)) {
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

std::optional<base::Version> InstalledKubelet(host::Host& host) {
  return host.processes.FindExecutable("kubelet") ? upgrade_path::KubeletVersion(host, "kubelet")
                                                  : std::nullopt;
}

// Kubernetes supports no kubelet that is newer than the API server.
void WarnOfNewerKubelet(const upgrade::UpgradeRecord& record, host::Host& host,
                        workflow::Context& context) {
  const auto kubelet = InstalledKubelet(host);
  const auto before = base::Version::Parse(VersionBefore(record, host.files));
  if (kubelet && before &&
      std::pair(kubelet->major, kubelet->minor) > std::pair(before->major, before->minor)) {
    context.Warn(
        fmt::format("the kubelet of this node is {}, newer than the {} to which its control plane "
                    "is rolled back, "
                    "which Kubernetes does not support: install a kubelet of {} first",
                    kubelet->TextWithV(), before->TextWithV(), before->TextWithV()));
  }
}

// An unreadable manifest runs no Pod, and a rollback repairs it.
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

// Manifests with an address that this machine no longer has are useless.
void RequireSameAddress(const upgrade::UpgradeRecord& record, const host::Files& files) {
  constexpr auto kApiServer = components::Component::kApiServer;
  const auto kept = upgrade::KeptPod(files, record, kApiServer);
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

// A later upgrade by another program, such as upstream's kubeadm, must not be rolled back here.
void RequireSameUpgrade(const upgrade::UpgradeRecord& record, const host::Files& files) {
  const auto to = base::Version::Parse(record.to);
  for (const components::Component component : components::kControlPlane) {
    if (!IsReadable(component, files)) {
      continue;
    }
    const auto kept = VersionOf(upgrade::KeptPod(files, record, component));
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

// The cluster's configuration is rolled back only if it is still this upgrade's.
void RequireSameCluster(const upgrade::UpgradeRecord& record, const std::string& stored) {
  if (record.command == "apply" && stored != record.to && stored != record.from) {
    throw base::Error(
        base::Error::Kind::kConflict,
        fmt::format("nothing was changed: the upgrade was from {} to {}, and the cluster's "
                    "configuration names {} by now: undo that upgrade first, on the node where it "
                    "was begun",
                    record.from, record.to, stored));
  }
}

void RequireThatItCanServe(const upgrade::UpgradeRecord& record, const host::Files& files) {
  RequireSameUpgrade(record, files);
  if (IsReadable(components::Component::kApiServer, files)) {
    RequireSameAddress(record, files);
    config_change::RequireSameKeysToUndo(
        files, upgrade::KeptPod(files, record, components::Component::kApiServer));
  }
}

void PutBackKubeletConfig(const upgrade::UpgradeRecord& record, UpgradeData& data,
                          workflow::Context& context) {
  if (record.kubelet_config.empty()) {
    return;
  }
  upgrade::PutBackKubeletConfig(record, data.host.files);
  context.Print(
      "[upgrade/rollback] Put back the kubelet's configuration; restart the kubelet, of the old "
      "version, to use it");
}

// A kubelet that does not start with the new configuration would not start the old static Pods.
void HelpKubelet(const upgrade::UpgradeRecord& record, UpgradeData& data,
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
void PutBackKubeProxy(const upgrade::UpgradeRecord& record, UpgradeData& data,
                      workflow::Context& context) {
  const auto found =
      data.Client(context).Find({kube::resources::kDaemonSet, "kube-system", "kube-proxy"});
  if (!found || data.config.cluster.proxy.disabled) {
    return;
  }
  const json::Value& pod = json::At(*found, {"spec", "template"});
  if (upgrade::ImageTag(static_pods::FirstImage(pod).value_or("")) == record.from) {
    return;
  }
  data.options.patches_directory = data.machine.files.Exists(record.patches) ? record.patches : "";
  ApplyKubeProxy(data, context);
}

// A user's own argument is older than the upgrade: the old manifest has it.
bool BeganToSoak(const upgrade::UpgradeRecord& record, const host::Files& files) {
  const auto kept = upgrade::KeptPod(files, record, components::Component::kApiServer);
  return kept && !static_pods::CommandArg(*kept, upgrade::kEmulatedVersion);
}

// Rolls back the objects that `upgrade apply` has written to the cluster. Keeps CoreDNS, because it
// also serves older versions.
void PutBackCluster(const upgrade::UpgradeRecord& record, UpgradeData& data,
                    workflow::Context& context) {
  if (record.command != "apply") {
    return;
  }
  if (BeganToSoak(record, data.machine.files)) {
    upgrade::EndSoak(data.config.cluster);
  }
  data.config.cluster.kubernetes_version = record.from;
  context.Print(
      fmt::format("[upgrade/rollback] The cluster's configuration names {} again", record.from));
  stored_config::UploadKubeadmConfig(data.Client(context), data.config.cluster);
  PutBackKubeProxy(record, data, context);
}

// The configuration for the rollback, from this node's own files.
config::Init ConfigOfFiles(const upgrade::UpgradeRecord& record, host::Host& host) {
  const auto pod = upgrade::KeptPod(host.files, record, components::Component::kApiServer);
  const std::string certificate =
      static_pods::CommandArg(pod.value_or(json::Value::object()), "tls-cert-file").value_or("");
  config::Init config =
      node_input::LoadInit(host, "",
                           {.apiserver_advertise_address = node_input::kAnyAddress,
                            .cert_dir = fs::path(certificate).parent_path().string()});
  config.init.node_registration.cri_socket = kubelet::LocalCriSocket(host);
  return config;
}

// If the cluster does not answer, this node is rolled back first: the upgrade may be the cause.
bool LoadsCluster(const upgrade::UpgradeRecord& record, UpgradeData& data,
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

void PutBack(const upgrade::UpgradeRecord& record, UpgradeData& data, workflow::Context& context) {
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
  // the last change: until then the command can be continued
  upgrade::RemoveRecord(data.host.files);
}

// Returns whether the record is for the upgrade that the caller means. It may be for an older
// upgrade, because an upgrade that fails before its first change leaves no record.
bool IsMeant(const std::string& only_to, const host::Files& files) {
  if (only_to.empty()) {
    return true;
  }
  const auto record = upgrade::LoadRecord(files);
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
  const upgrade::UpgradeRecord record = upgrade::LastUpgrade(data.machine.files);
  RequireThatItCanServe(record, data.machine.files);
  SayPlan(record, data.upgrade_options.with_data, data.machine.files, context);
  WarnOfNewerKubelet(record, data.machine, context);
  if (data.upgrade_options.with_data) {
    RequireRestorableData(record, data.machine, context);
  }
  data.world.Do({.on_machine = [&] { PutBack(record, data, context); }});
}

}  // namespace upgrade_steps
