// SPDX-License-Identifier: Apache-2.0
// The checks before an upgrade changes the node.
#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "checks/finding.h"
#include "config/images.h"
#include "config/version.h"
#include "control_plane/record.h"
#include "control_plane/replaced_server.h"
#include "control_plane/running.h"
#include "control_plane/soak.h"
#include "pki/key.h"
#include "preflight/checks.h"
#include "preflight/judge.h"
#include "static_pods/static_pod.h"
#include "steps/node/steps.h"
#include "steps/trials.h"
#include "steps/upgrade/steps.h"
#include "upgrade/config_lines.h"
#include "upgrade/core_dns_checks.h"
#include "upgrade/gate_notices.h"
#include "upgrade/health.h"
#include "upgrade/policy.h"
#include "upgrade_path/etcd_step.h"
#include "upgrade_path/findings.h"
#include "upgrade_path/kubelet_step.h"

namespace upgrade_steps {
namespace {

// Adds the settings that programs of the wanted version would refuse at their start. Settings of
// kubelets are only printed, because kubelets are upgraded after the control plane.
void AddRefusedSettings(const UpgradeData& data, const base::Version& wanted,
                        checks::Findings& findings, workflow::Context& context) {
  for (checks::Finding& finding : upgrade_path::CheckSettings(
           {.host = data.machine,
            .config = data.config,
            .wanted = wanted,
            .etcd = data.upgrade_options.etcd ? upgrade_path::EtcdHop::kUpgraded
                                              : upgrade_path::EtcdHop::kKept,
            .patches = data.options.patches_directory})) {
    if (finding.severity == checks::Severity::kError) {
      finding.ignorable = true;
      findings.push_back(std::move(finding));
    } else {
      context.Print("[upgrade/preflight] " + finding.what);
    }
  }
}

// Adds a finding if the control plane soaks and `wanted` is a later minor version. A control plane
// can behave as the previous minor version, but not as an older one.
void AddSoak(const UpgradeData& data, const base::Version& wanted, checks::Findings& findings) {
  const auto emulated = control_plane::EmulatedVersion(data.config.cluster);
  if (emulated && wanted.minor > emulated->minor + 1) {
    findings.push_back(
        {.what = fmt::format("the control plane still behaves as v{}.{}: end that by 'kubeadm "
                             "upgrade commit' first",
                             emulated->major, emulated->minor),
         .ignorable = true});
  }
}

// Adds a finding about a kubelet that could not use the keys of the renewed certificates.
void AddKubeletKeys(UpgradeData& data, checks::Findings& findings, workflow::Context& context) {
  const std::string& algorithm = data.config.cluster.encryption_algorithm;
  if (!data.upgrade_options.renew_certificates || !pki::IsMlDsa(algorithm)) {
    return;
  }
  if (auto hazard = upgrade_path::FindKubeletKeyHazard(
          algorithm, control_plane::CollectRunning(data.Client(context)).kubelets)) {
    findings.push_back({.what = std::move(*hazard), .ignorable = true});
  }
}

// Prints the etcd members that are too old for the wanted version's etcd. Queries the cluster only
// if the upgrade changes the minor version of this node's etcd.
void PrintEtcdStep(UpgradeData& data, const base::Version& wanted, workflow::Context& context) {
  const auto pod = static_pods::ReadManifest(data.machine.files, components::Component::kEtcd);
  if (!data.upgrade_options.etcd || !data.config.cluster.etcd.local || !pod) {
    return;
  }
  config::ClusterConfiguration cluster = data.config.cluster;
  cluster.kubernetes_version = wanted.TextWithV();
  const std::string next = config::EtcdTag(cluster);
  const auto from = base::Version::ParseGeneric(
      control_plane::ImageTag(static_pods::FirstImage(*pod).value_or("")));
  const auto to = base::Version::ParseGeneric(next);
  if (!from || !to || from->minor == to->minor) {
    return;
  }
  const control_plane::Running running = control_plane::CollectRunning(data.Client(context));
  const auto members = running.static_pods.find(config::kEtcd);
  const auto hazard = members == running.static_pods.end()
                          ? std::nullopt
                          : upgrade_path::FindEtcdStepHazard(members->second, next);
  if (hazard) {
    base::LogWarning("[upgrade/preflight] {}", *hazard);
  }
}

// Enforces the version policy. --force skips some of its complaints.
void EnforcePolicy(UpgradeData& data, workflow::Context& context) {
  const base::Version wanted = base::Version::Parse(data.wanted_version).value();
  const upgrade::PolicyFacts facts =
      upgrade::CollectPolicyFacts(data.Client(context), wanted, data.upgrade_options.allowed);
  if (facts.api_server) {
    context.Print(fmt::format("[upgrade/versions] Cluster version: v{}", facts.api_server->Text()));
  }
  context.Print(fmt::format("[upgrade/versions] kubeadm version: {}", config::kKubeadmVersion));
  checks::Findings findings = upgrade::JudgeVersion(facts);
  AddSoak(data, wanted, findings);
  checks::Append(findings, preflight::JudgeClusterKeys(preflight::ClusterKeyAlgorithm(
                                                           data.machine.files, data.config.cluster),
                                                       wanted));
  AddRefusedSettings(data, wanted, findings, context);
  AddKubeletKeys(data, findings, context);
  PrintEtcdStep(data, wanted, context);
  upgrade::RequireAllowed(findings, data.wanted_version,
                          data.upgrade_options.force ? upgrade::Force::kYes : upgrade::Force::kNo);
  if (!findings.empty()) {
    context.Print(fmt::format(
        "[upgrade/versions] Going on because of --force, despite {} objection{}:\n{}",
        findings.size(), findings.size() == 1 ? "" : "s", upgrade::ListComplaints(findings)));
  }
}

// Checks the cluster's health. A dry run only logs that it would create a Job.
void CheckHealth(UpgradeData& data, workflow::Context& context) {
  RunChecks(
      upgrade::CoreDnsChecks(data.Client(context), config::CoreDnsVersion(data.config.cluster)),
      data, context);
  context.Print("[upgrade] Checking the cluster's health");
  const upgrade::HealthInput input{
      .host = data.machine,
      .client = data.Client(context),
      .pause_image = config::PauseImage(data.config.cluster),
      .job_limits = {.leader = std::chrono::duration_cast<std::chrono::milliseconds>(
                         data.Timeout(&config::Timeouts::upgrade_manifests))},
      .perform = [&](const std::string& would, const auto& act) {
        data.world.Do({.on_machine = act, .in_dry_run = steps::Would(context, {would})});
      }};
  context.Progress("waiting for the health check's Job");
  base::WithContext("[upgrade/health] FATAL", [&] {
    RunChecks(upgrade::StateChecks(input), data, context);
    // After an interrupted upgrade the control plane may still be starting. The Job check is
    // skipped, because the interrupted run has already passed it.
    if (control_plane::WasCutOff(data.machine.files, data.wanted_version)) {
      context.Print("[upgrade/health] A run was interrupted; its Job is not run again");
    } else {
      RunChecks(upgrade::JobChecks(input), data, context);
    }
  });
  context.Progress({});
}

void ShowConfig(UpgradeData& data, workflow::Context& context) {
  for (const std::string& notice : upgrade::GateNotices(data.config.cluster)) {
    context.Print("[upgrade/preflight] " + notice);
  }
  if (data.upgrade_options.print_config) {
    std::ranges::for_each(upgrade::ConfigLines(data.config.cluster),
                          [&](const std::string& line) { context.Print(line); });
  }
}

void CheckNode(UpgradeData& data, workflow::Context& context) {
  context.Print("[upgrade/preflight] Running preflight checks");
  CheckRoot(data, context);
  RunChecks(preflight::UpgradeChecks(CheckSources(data),
                                     data.config.init.node_registration.cri_socket, data.Version()),
            data, context);
}

}  // namespace

void RequireConsent(const UpgradeData& data) {
  if (!data.upgrade_options.yes && !data.confirm(std::string(kAreYouSure))) {
    throw base::Error(std::string(kNoConsent));
  }
}

void UpgradePreflight(UpgradeData& data, workflow::Context& context) {
  data.world.Do({.on_machine = [&] {
    // Called first, so that a user without access to the kubeconfig file gets this error.
    data.Client(context);
    steps::RequireNoTrial(data.machine.files);
    control_plane::AwaitReplacedServer(
        {.host = data.host,
         .client = data.Client(context),
         .limit = std::chrono::duration_cast<std::chrono::milliseconds>(
             data.Timeout(&config::Timeouts::upgrade_manifests)),
         .stop = context.Stop(),
         .progress = [&](std::optional<std::string_view> what) { context.Progress(what); }});
  }});
  data.LoadCluster(context);
  CheckNode(data, context);
  HandleDrift(data, context);
  if (data.command == UpgradeData::Command::kApply) {
    CheckHealth(data, context);
    ShowConfig(data, context);
    context.Print(fmt::format("[upgrade/preflight] The cluster is to be upgraded to version {}",
                              base::Quoted(data.wanted_version)));
    EnforcePolicy(data, context);
    data.world.Do({.on_machine = [&] {
      if (!data.upgrade_options.force) {
        RequireConsent(data);
      }
    }});
  }
  if (data.ControlPlane()) {
    PullImages(data, context);
  } else {
    context.Print("[upgrade/preflight] This node has no control plane: no images to pull");
  }
}

}  // namespace upgrade_steps
