// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/path.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "base/error.h"
#include "base/strings.h"
#include "config/arguments.h"
#include "control_plane/running.h"
#include "kubeadm/command_line.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/terminal.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/path_question.h"
#include "kubeadm/upgrade/phases.h"
#include "kubeadm/upgrade/prepare.h"
#include "preflight/privileges.h"
#include "steps/node/steps.h"
#include "steps/trials.h"
#include "steps/upgrade/steps.h"
#include "steps/world.h"
#include "upgrade_path/gate.h"
#include "upgrade_path/report.h"
#include "workflow/run.h"

namespace kubeadm {
namespace {

using base::Error;
using upgrade_path::Hop;

// One run of `upgrade apply --path`.
class PathRun {
 public:
  PathRun(cli::Invocation& invocation, host::Host& machine, workflow::Reporter& reporter)
      : invocation_(invocation),
        flags_(invocation.flags),
        machine_(machine),
        reporter_(reporter),
        upgrade_(LoadUpgradeConfig(flags_, machine)),
        world_(machine),
        skipped_(WithoutSkipped(flags_, upgrade_.apply.skip_phases).skip) {}

  void Run() {
    const bool dry_run = Chosen(flags_, "dry-run", upgrade_.apply.dry_run);
    if (!dry_run) {
      RequireUpgradeConsentByFlags(flags_, upgrade_.apply);
    }
    RequireRoot();
    steps::ChooseWorld(machine_, dry_run, {})
        ->Do({.on_machine = [this] { Act(); }, .in_dry_run = [this] { Show(); }});
  }

 private:
  void Show() {
    kube::Client client = ClientOfPath(flags_, machine_);
    AwaitServer(upgrade_.timeouts, client, machine_,
                [this](const std::string& line) { reporter_.Message(line); });
    Ask(client);
    reporter_.Message(kDryRunEnd);
  }

  void Act() {
    const NodeLock lock = Lock();
    steps::RequireNoTrial(machine_.files);
    kube::Client client = ClientOfPath(flags_, machine_);
    AwaitServer(upgrade_.timeouts, client, machine_,
                [this](const std::string& line) { reporter_.Message(line); });
    Ask(client);
    RequireLeave();
    TakeKubelets(flags_, machine_, followers_);
    if (answer_.plan.hops.empty()) {
      BringKubeletAlone();
      return;
    }
    PullAll();
    for (std::size_t i = 0; i < answer_.plan.hops.size(); ++i) {
      Go(i, client);
    }
    SayEnd();
  }

  void Ask(kube::Client& client) {
    upgrade_path::PathOptions options =
        PathOptionsOf(upgrade_.apply, flags_, PatchesDirectory(flags_, upgrade_.apply.patches));
    options.renews_certificates =
        Chosen(flags_, "certificate-renewal", upgrade_.apply.certificate_renewal);
    answer_ = FindPath(flags_, std::move(options), machine_, client);
    reporter_.Message(upgrade_path::TextOf(answer_.plan));
  }

  void RequireRoot() {
    const std::set<std::string> ignored = config::IgnoredPreflightErrors(
        flags_.List("ignore-preflight-errors"), upgrade_.apply.ignore_preflight_errors);
    preflight::RequirePrivileges(machine_, workflow::MakePlan(UpgradeApplyPhases(), {}), ignored,
                                 reporter_);
  }

  upgrade::Force Forced() const {
    return Chosen(flags_, "force", upgrade_.apply.force_upgrade) ? upgrade::Force::kYes
                                                                 : upgrade::Force::kNo;
  }

  NodeLock Lock() {
    return LockNode(
        invocation_, machine_,
        {.directories = {}, .say = [this](const std::string& line) { reporter_.Message(line); }});
  }

  // Stops the path before its first hop if a finding is an error. Asks the user once for all hops.
  void RequireLeave() {
    const bool force = Forced() == upgrade::Force::kYes;
    if (!force) {
      RequireClearPath(answer_.plan);
    }
    const bool nothing = answer_.plan.hops.empty() && !answer_.plan.kubelet_only;
    if (nothing || force || flags_.Bool("yes")) {
      return;
    }
    if (!Confirm(invocation_.streams, machine_.signals, std::string(upgrade_steps::kAreYouSure))) {
      throw Error(std::string(upgrade_steps::kNoConsent));
    }
  }

  std::unique_ptr<UpgradeData> DataOf(const base::Version& version) {
    auto data = PrepareUpgrade(invocation_, UpgradeData::Command::kApply, upgrade_, world_);
    data->wanted_version = version.TextWithV();
    data->upgrade_options.yes = true;  // asked once for the whole path
    data->upgrade_options.settles_later = true;
    data->upgrade_options.kubelets = followers_.kubelets;
    data->upgrade_options.kubelet_command = followers_.kubelet_command;
    return data;
  }

  void RunPhases(const std::vector<UpgradePhase>& phases, UpgradeData& data,
                 const std::vector<std::string>& skipped) {
    const workflow::Plan plan = workflow::MakePlan(phases, {.only = {}, .skip = skipped});
    workflow::RunPhases(plan, data,
                        {.reporter = reporter_,
                         .clock = machine_.clock,
                         .threads = 1,
                         .stop = machine_.signals.Interrupt()});
  }

  // Pulls the images of all hops before any replacement.
  void PullAll() {
    std::vector<UpgradePhase> pulls;
    for (const Hop& hop : answer_.plan.hops) {
      pulls.push_back({.name = hop.version.TextWithV(),
                       .run = [this, &hop](UpgradeData&, workflow::Context& context) {
                         const auto data = DataOf(hop.version);
                         data->LoadCluster(context);
                         PullImages(*data, context);
                       }});
    }
    const auto data = DataOf(answer_.plan.hops.front().version);
    RunPhases({{.name = "images", .children = std::move(pulls)}}, *data, {});
  }

  void Go(std::size_t index, kube::Client& client) {
    const std::vector<Hop>& hops = answer_.plan.hops;
    const std::string version = hops[index].version.TextWithV();
    reporter_.Message(
        fmt::format("\n[upgrade/path] Hop {} of {}: to {}", index + 1, hops.size(), version));
    upgrade_path::RequireFollowers(control_plane::CollectRunning(client), hops[index].version,
                                   Forced());
    std::vector<std::string> skipped;
    for (const std::string& phase : skipped_) {
      skipped.push_back(version + "/" + phase);
    }
    const auto data = DataOf(hops[index].version);
    base::WithContext(
        fmt::format("hop {} of {}, to {}, is not done: run the same command again to go on",
                    index + 1, hops.size(), version),
        [&] { RunPhases({PhaseOf(hops[index])}, *data, skipped); });
  }

  UpgradePhase PhaseOf(const Hop& hop) {
    UpgradePhase phase{.name = hop.version.TextWithV(), .children = UpgradeApplyPhases()};
    if (!hop.own_kubelet || std::ranges::contains(skipped_, "kubelet")) {
      phase.children.push_back({.name = "settle", .run = upgrade_steps::SettleControlPlane});
    }
    // BringKubelet waits until the control plane is stable under the new kubelet.
    if (hop.own_kubelet) {
      phase.children.push_back({.name = "kubelet", .run = upgrade_steps::BringKubelet});
    }
    return phase;
  }

  // Upgrades only this node's kubelet, if a run was interrupted before this upgrade.
  void BringKubeletAlone() {
    if (answer_.plan.kubelet_only) {
      const auto data = DataOf(answer_.plan.from);
      RunPhases({{.name = "kubelet", .run = upgrade_steps::BringKubelet}}, *data, {});
    }
  }

  void SayEnd() {
    const auto& plan = answer_.plan;
    reporter_.Message(fmt::format(
        "\n{}\n\n[upgrade] The other nodes of the control plane follow with 'kubeadm upgrade "
        "node'; kubelets that are left to upgrade: {}",
        SuccessLine(plan.hops.back().version.TextWithV()), upgrade_path::KubeletsLeft(plan)));
  }

  cli::Invocation& invocation_;
  const cli::Parsed& flags_;
  host::Host& machine_;
  workflow::Reporter& reporter_;
  const config::UpgradeConfiguration upgrade_;
  steps::MachineWorld world_;
  const std::vector<std::string> skipped_;
  upgrade_path::PathAnswer answer_;
  upgrade_steps::UpgradeOptions followers_;  // only its kubelets and its kubelet command are used
};

}  // namespace

void ApplyPath(cli::Invocation& invocation, host::Host& host) {
  ReportRun(invocation, host,
            [&](workflow::Reporter& reporter) { PathRun(invocation, host, reporter).Run(); });
}

}  // namespace kubeadm
