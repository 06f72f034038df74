// SPDX-License-Identifier: Apache-2.0
// This node's control plane: the upgrade to the new version, and the rollback.
#include <fmt/core.h>

#include <functional>
#include <memory>
#include <string>

#include "backup/upgrade_backup.h"
#include "base/error.h"
#include "base/strings.h"
#include "components/strays.h"
#include "control_plane/apply.h"
#include "control_plane/images.h"
#include "control_plane/pod_changes.h"
#include "control_plane/wanted_pods.h"
#include "kubelet/wait.h"
#include "node_input/patch_lines.h"
#include "static_pods/restart.h"
#include "static_pods/rootless.h"
#include "static_pods/static_pod.h"
#include "steps/node/steps.h"
#include "steps/upgrade/steps.h"

namespace upgrade_steps {
namespace {

using components::Component;
using std::chrono::milliseconds;

constexpr std::string_view kPrefix = "[upgrade/staticpods]";
constexpr std::string_view kEtcdPrefix = "[upgrade/etcd]";

// Returns the complete Pods of the new version.
std::vector<static_pods::Replacement> WantedPods(control_plane::EtcdPod etcd, UpgradeData& data,
                                                 workflow::Context& context) {
  control_plane::WantedPods wanted = control_plane::FindWantedPods(data.machine, data.config, etcd);
  if (wanted.etcd_stays) {
    context.Print(fmt::format("{} etcd stays as it is: {}", kEtcdPrefix, *wanted.etcd_stays));
  }
  for (static_pods::Replacement& pod : wanted.pods) {
    pod.pod = FinishPod(pod.component, std::move(pod.pod), data, context);
  }
  return std::move(wanted.pods);
}

control_plane::Renews RenewsOf(const UpgradeData& data) {
  return data.upgrade_options.renew_certificates ? control_plane::Renews::kYes
                                                 : control_plane::Renews::kNo;
}

std::unique_ptr<cri::Runtime> RuntimeOf(const UpgradeData& data, workflow::Context& context) {
  return static_pods::ConnectForRestarts(data.config.init.node_registration.cri_socket, data.host,
                                         context.Stop());
}

// Returns the function that makes a backup; empty if no backup is made. `upgrade node` makes none,
// because the etcds of the other control planes have the same data.
std::function<std::string()> MakeBackup(UpgradeData& data, cri::Runtime& runtime,
                                        workflow::Context& context) {
  if (data.command != UpgradeData::Command::kApply || !data.upgrade_options.backup) {
    return {};
  }
  return [&data, &runtime, &context] { return BackUpNode(data, runtime, context); };
}

control_plane::UpgradedNode NodeOf(UpgradeData& data, cri::Runtime& runtime,
                                   workflow::Context& context) {
  return {.host = data.host,
          .config = data.config,
          .runtime = runtime,
          .record = data.Record(),
          .start = data.StartSecond(),
          .limit = std::chrono::duration_cast<milliseconds>(
              data.Timeout(&config::Timeouts::upgrade_manifests)),
          .etcd_limit = std::chrono::duration_cast<milliseconds>(
              data.Timeout(&config::Timeouts::etcd_api_call)),
          .renews = RenewsOf(data),
          .stop = context.Stop(),
          .make_backup = MakeBackup(data, runtime, context),
          .make_data =
              [&](const fs::path& backup, const fs::path& directory) {
                backup::RestoreUpgradeData(data.host, backup, directory, context.Stop());
              },
          .connect_etcd = [&] { return ConnectEtcd(data, context); },
          .say =
              [&](control_plane::Area area, const std::string& line) {
                context.Print(fmt::format(
                    "{} {}", area == control_plane::Area::kEtcd ? kEtcdPrefix : kPrefix, line));
              }};
}

// Throws base::Error unless the kubelet runs and would run one Pod of each component, because the
// kubelet executes all changes.
void RequireKubelet(UpgradeData& data, workflow::Context& context) {
  base::WithContext("nothing was changed", [&] {
    components::RequireNoStrays(data.host.files);
    kubelet::RequireRunning(data.host, context.Stop());
  });
}

void Apply(const std::vector<control_plane::PodChange>& changes,
           const control_plane::UpgradedNode& node, UpgradeData& data, workflow::Context& context) {
  RequireKubelet(data, context);
  control_plane::RequireImages(
      changes, {.clock = data.host.clock,
                .runtime = node.runtime,
                .policy = data.config.init.node_registration.image_pull_policy,
                .limit = std::chrono::duration_cast<std::chrono::milliseconds>(
                    data.Timeout(&config::Timeouts::upgrade_manifests)),
                .stop = context.Stop(),
                .progress = [&](std::optional<std::string_view> what) { context.Progress(what); }});
  control_plane::Apply(changes, node);
}

void SayUnchanged(const std::vector<control_plane::PodChange>& changes,
                  workflow::Context& context) {
  for (const control_plane::PodChange& change : changes) {
    if (change.what == control_plane::PodChange::What::kNothing) {
      context.Print(fmt::format("{} The manifest of {} is up to date already", kPrefix,
                                base::Quoted(components::Name(change.component))));
    }
  }
}

// Shows etcd's Pod only if this node has its manifest: the simulated cluster of a dry run has no
// etcd.
void ShowPods(UpgradeData& data, workflow::Context& context) {
  const bool shows_etcd = data.upgrade_options.etcd && data.config.cluster.etcd.local &&
                          data.host.files.Exists(components::ManifestPath(Component::kEtcd));
  std::string text = fmt::format("[dryrun] Would bring the static Pods to version {}: ",
                                 base::Quoted(data.config.cluster.kubernetes_version));
  // In these cases messages follow before the first manifest, so the heading is printed first.
  if (shows_etcd || !data.options.patches_directory.empty() ||
      static_pods::IsRootless(data.config.cluster)) {
    context.Print(text);
    text.clear();
  }
  for (const static_pods::Replacement& pod :
       WantedPods(shows_etcd ? control_plane::EtcdPod::kUpgrade : control_plane::EtcdPod::kLeave,
                  data, context)) {
    text += steps::WouldWrite(components::ManifestPath(pod.component), static_pods::Text(pod.pod));
    if (!text.ends_with('\n')) {
      text += '\n';
    }
  }
  context.Print(text);
}

void ReplacePods(UpgradeData& data, workflow::Context& context) {
  const std::unique_ptr<cri::Runtime> runtime = RuntimeOf(data, context);
  const control_plane::UpgradedNode node = NodeOf(data, *runtime, context);
  const std::vector<control_plane::PodChange> changes = control_plane::PlanChanges(
      data.host.files,
      WantedPods(data.upgrade_options.etcd ? control_plane::EtcdPod::kUpgrade
                                           : control_plane::EtcdPod::kLeave,
                 data, context),
      data.Record(), RenewsOf(data));
  SayUnchanged(changes, context);
  if (control_plane::Changes(changes)) {
    Apply(changes, node, data, context);
  }
  if (data.upgrade_options.renew_certificates &&
      control_plane::HasToRenewAdministrators(data.Record(), changes)) {
    control_plane::RenewAdministrators(node);
  }
}

}  // namespace

void UpgradeControlPlane(UpgradeData& data, workflow::Context& context) {
  if (!data.ControlPlane()) {
    context.Print("[upgrade/control-plane] Skipping phase: this node has no control plane");
    return;
  }
  data.LoadCluster(context);
  data.world.Do({.on_machine = [&] { ReplacePods(data, context); },
                 .in_dry_run = [&] { ShowPods(data, context); }});
}

void UndoControlPlane(UpgradeData& data, workflow::Context& context) {
  RequireKubelet(data, context);
  const std::unique_ptr<cri::Runtime> runtime = RuntimeOf(data, context);
  control_plane::Undo(NodeOf(data, *runtime, context), data.upgrade_options.with_data
                                                           ? control_plane::Data::kRestore
                                                           : control_plane::Data::kLeave);
}

}  // namespace upgrade_steps
