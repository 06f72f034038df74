// SPDX-License-Identifier: Apache-2.0
// The way back from the last upgrade of this node.
#include <fmt/core.h>

#include "base/error.h"
#include "config_change/encryption.h"
#include "config_input/load.h"
#include "kube/client.h"
#include "kubelet/local_runtime.h"
#include "kubelet/service.h"
#include "kubelet/wait.h"
#include "node_steps/steps.h"
#include "static_pods/static_pod.h"
#include "stored_config/upload.h"
#include "upgrade/backup.h"
#include "upgrade_steps/steps.h"

namespace upgrade_steps {
namespace {

void SayPlan(const upgrade::Record& record, const host::Files& files, workflow::Context& context) {
  context.Print(fmt::format("[upgrade/rollback] Undoing the upgrade from {} to {} on this node",
                            record.from, record.to));
  for (const auto& [component, directory] : record.manifests) {
    const bool may_stay = component == components::Name(components::Component::kEtcd);
    context.Print(fmt::format("[upgrade/rollback] {} comes back from {}{}", component, directory,
                              may_stay ? ", unless it has served in another minor version" : ""));
  }
  for (const std::string& component : upgrade::ChangedSince(files, record)) {
    context.Warn(fmt::format(
        "the manifest of {} was changed after the upgrade, which goes, too: give 'kubeadm config "
        "apply node' afterwards for what the cluster's configuration says of it",
        component));
  }
  if (!record.kubelet_config.empty()) {
    context.Print(fmt::format("[upgrade/rollback] the kubelet's configuration comes back from {}",
                              record.kubelet_config));
  }
}

// Manifests of an address that is not this machine's any more serve nobody.
void RequireSameAddress(const upgrade::Record& record, const host::Files& files) {
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
                    "its old manifests are of the old address; give it that back first ('kubeadm "
                    "node readdress')",
                    *before, *after));
  }
}

// A manifest that nobody can read runs nothing, and is what a rollback repairs.
bool IsReadable(const host::Files& files) {
  try {
    static_pods::ReadManifest(files, components::Component::kApiServer);
    return true;
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kInvalid) {
      throw;
    }
    return false;
  }
}

void RequireThatItCanServe(const upgrade::Record& record, const host::Files& files) {
  if (IsReadable(files)) {
    RequireSameAddress(record, files);
    config_change::RequireSameKeysToUndo(files, upgrade::kRecordFile);
  }
}

void PutBackKubeletConfig(const upgrade::Record& record, UpgradeData& data,
                          workflow::Context& context) {
  if (record.kubelet_config.empty()) {
    return;
  }
  upgrade::PutBackKubeletConfig(record, data.host.files);
  context.Print(
      "[upgrade/rollback] Put back the kubelet's configuration; restart the kubelet, of the old "
      "version, to use it");
}

// A kubelet that does not start with the new configuration puts no static Pod back.
void HelpKubelet(const upgrade::Record& record, UpgradeData& data, workflow::Context& context) {
  if (record.kubelet_config.empty()) {
    return;
  }
  try {
    kubelet::RequireRunning(data.host, context.Stop());
  } catch (const base::Error& error) {
    if (error.kind() == base::Error::Kind::kCancelled) {
      throw;
    }
    context.Print("[upgrade/rollback] " + error.message() +
                  ": restarting it with the old configuration");
    upgrade::PutBackKubeletConfig(record, data.host.files);
    kubelet::RestartKubelet(data.host);
  }
}

// What apply has told the cluster. CoreDNS stays: it serves older versions as well.
void PutBackCluster(const upgrade::Record& record, UpgradeData& data, workflow::Context& context) {
  if (record.command != "apply") {
    return;
  }
  data.config.cluster.kubernetes_version = record.from;
  context.Print(
      fmt::format("[upgrade/rollback] The cluster's configuration names {} again", record.from));
  stored_config::UploadKubeadmConfig(data.Client(context), data.config.cluster);
  if (!data.config.cluster.proxy.disabled) {
    ApplyKubeProxy(data, context);
  }
}

// What the way back needs of the configuration, as this node's own files have it.
config::Init ConfigOfFiles(const upgrade::Record& record, host::Host& host) {
  const auto pod = upgrade::KeptPod(host.files, record, components::Component::kApiServer);
  const std::string certificate =
      static_pods::CommandArg(pod.value_or(json::Value::object()), "tls-cert-file").value_or("");
  config::Init config =
      config_input::LoadInit(host, "",
                             {.apiserver_advertise_address = config_input::kAnyAddress,
                              .cert_dir = fs::path(certificate).parent_path().string()});
  config.init.node_registration.cri_socket = kubelet::LocalCriSocket(host);
  return config;
}

// Where the cluster does not tell it, this node goes first: the upgrade may be why.
bool LoadsCluster(const upgrade::Record& record, UpgradeData& data, workflow::Context& context) {
  try {
    data.LoadCluster(context);
    return true;
  } catch (const base::Error& error) {
    if (record.manifests.empty() || !kube::IsPassing(error)) {
      throw;
    }
    context.Print(
        "[upgrade/rollback] The cluster does not tell its configuration; this node goes first: " +
        error.message());
    data.config = ConfigOfFiles(record, data.host);
    return false;
  }
}

void PutBack(const upgrade::Record& record, UpgradeData& data, workflow::Context& context) {
  RequireConsent(data);
  const bool knows_cluster = LoadsCluster(record, data, context);
  data.Record() = record;
  HelpKubelet(record, data, context);
  UndoControlPlane(data, context);
  if (!knows_cluster) {
    data.LoadCluster(context);
  }
  PutBackKubeletConfig(record, data, context);
  PutBackCluster(record, data, context);
  upgrade::RemoveRecord(data.host.files);
  if (!record.manifests.empty()) {
    AwaitMirrors(data, context);
  }
}

}  // namespace

void RollBack(UpgradeData& data, workflow::Context& context) {
  data.world.Do({.act = [&] { CheckRoot(data, context); }});
  const upgrade::Record record = upgrade::LastUpgrade(data.machine.files);
  RequireThatItCanServe(record, data.machine.files);
  SayPlan(record, data.machine.files, context);
  data.world.Do({.act = [&] { PutBack(record, data, context); }});
}

}  // namespace upgrade_steps
