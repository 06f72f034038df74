// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/path.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>

#include "base/error.h"
#include "base/strings.h"
#include "config/arguments.h"
#include "kubeadm/node_lock.h"
#include "kubeadm/printed.h"
#include "kubeadm/reported_run.h"
#include "kubeadm/terminal.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/flags.h"
#include "kubeadm/upgrade/path_question.h"
#include "kubeadm/upgrade/phases.h"
#include "kubeadm/upgrade/prepare.h"
#include "node_steps/steps.h"
#include "preflight/checks.h"
#include "preflight/privileges.h"
#include "preflight/require.h"
#include "upgrade/running.h"
#include "upgrade_path/gate.h"
#include "upgrade_path/report.h"
#include "workflow/run.h"
#include "world/world.h"

namespace kubeadm {
namespace {

using base::Error;
using std::chrono::duration_cast;
using std::chrono::milliseconds;
using upgrade_path::Hop;

// How long a control plane must be well under a new kubelet, which replaces its containers within
// some seconds.
constexpr milliseconds kSteady{10'000};

constexpr const char* kPath = "path";
constexpr const char* kPackages = "node-packages";
constexpr const char* kCommand = "upgrade-kubelet-command";

// PathRun is one run of `upgrade apply --path`.
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
    RequireRoot();
    world::ChooseWorld(machine_, Chosen(flags_, "dry-run", upgrade_.apply.dry_run), {})
        ->Do({.act = [this] { Act(); }, .show = [this] { Show(); }});
  }

 private:
  void Show() {
    kube::Client client = ClientOfPath(flags_, machine_);
    Ask(client);
    reporter_.Message(kDryRunEnd);
  }

  void Act() {
    const NodeLock lock = Lock();
    kube::Client client = ClientOfPath(flags_, machine_);
    Ask(client);
    RequireLeave();
    if (answer_.plan.hops.empty()) {
      BringKubeletAlone(client);
      return;
    }
    PullAll();
    for (std::size_t i = 0; i < answer_.plan.hops.size(); ++i) {
      Go(i, client);
    }
    SayEnd();
  }

  void Ask(kube::Client& client) {
    answer_ = FindPath(flags_, upgrade_.apply.kubernetes_version, machine_, client);
    reporter_.Message(upgrade_path::TextOf(answer_.plan));
  }

  void RequireRoot() {
    const std::set<std::string> ignored = config::IgnoredPreflightErrors(
        flags_.List("ignore-preflight-errors"), upgrade_.apply.ignore_preflight_errors);
    preflight::RefuseUnprivileged(machine_, workflow::MakePlan(UpgradeApplyPhases(), {}), ignored,
                                  reporter_);
  }

  NodeLock Lock() {
    return LockNode(
        invocation_, machine_,
        {.directories = {}, .say = [this](const std::string& line) { reporter_.Message(line); }});
  }

  // What would break stops the way before its first hop, and the user is asked once for all hops.
  void RequireLeave() {
    const bool force = Chosen(flags_, "force", upgrade_.apply.force_upgrade);
    if (answer_.plan.Breaks() && !force) {
      throw Error(Error::Kind::kInvalid,
                  "nothing was changed: something on the way would break (listed above, without "
                  "\"note\"). Fix it, or go on all the same with --force");
    }
    const bool nothing = answer_.plan.hops.empty() && !answer_.plan.kubelet_only;
    if (nothing || force || flags_.Bool("yes")) {
      return;
    }
    if (!Confirm(invocation_.streams, machine_.signals,
                 "[upgrade] Are you sure you want to proceed? [y/N]: ")) {
      throw Error("won't proceed: the user has not answered with yes; nothing was changed");
    }
  }

  std::unique_ptr<UpgradeData> DataOf(const base::Version& version) {
    auto data = PrepareUpgrade(invocation_, UpgradeData::Command::kApply, upgrade_, world_);
    data->wanted_version = version.TextWithV();
    data->upgrade_options.yes = true;  // asked for the whole way
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

  // The images of all hops are here before anything is replaced.
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
    upgrade_path::RequireFollowers(upgrade::GatherRunning(client), hops[index].version);
    std::vector<std::string> skipped;
    for (const std::string& phase : skipped_) {
      skipped.push_back(version + "/" + phase);
    }
    const auto data = DataOf(hops[index].version);
    base::WithContext(
        fmt::format("hop {} of {}, to {}, is not done: give the same command again to go on, or "
                    "'kubeadm upgrade rollback' to undo what this hop has changed",
                    index + 1, hops.size(), version),
        [&] { RunPhases({PhaseOf(hops[index])}, *data, skipped); });
  }

  UpgradePhase PhaseOf(const Hop& hop) {
    UpgradePhase phase{.name = hop.version.TextWithV(), .children = UpgradeApplyPhases()};
    phase.children.push_back(
        {.name = "settle", .run = [this](UpgradeData& data, workflow::Context& context) {
           Settle(data, context, milliseconds(0));
         }});
    if (hop.own_kubelet) {
      phase.children.push_back(
          {.name = "kubelet", .run = [this, &hop](UpgradeData& data, workflow::Context& context) {
             const auto say = [&](const std::string& line) {
               context.Print("[upgrade/kubelet] " + line);
             };
             BringKubelet(*hop.own_kubelet, data.Client(context), say);
             Settle(data, context, kSteady);
           }});
    }
    return phase;
  }

  void Settle(UpgradeData& data, workflow::Context& context, milliseconds steady) {
    context.Print(fmt::format("[upgrade/path] Waiting until the control plane of {} is well",
                              data.wanted_version));
    context.Progress("waiting for the control plane's Pods to be Ready");
    upgrade_path::WaitForHop(
        {.client = data.Client(context),
         .clock = machine_.clock,
         .node = answer_.node,
         .version = data.wanted_version,
         .limit = duration_cast<milliseconds>(data.Timeout(&config::Timeouts::upgrade_manifests)),
         .steady = steady,
         .stop = context.Stop()});
  }

  void BringKubelet(const base::Version& version, kube::Client& client,
                    const std::function<void(const std::string&)>& say) {
    upgrade_path::BringKubelet({.host = machine_,
                                .client = client,
                                .node = answer_.node,
                                .version = version,
                                .programs = answer_.programs,
                                .command = flags_.Text(kCommand),
                                .limit = std::chrono::minutes(4),
                                .stop = machine_.signals.Interrupt(),
                                .say = say});
  }

  void BringKubeletAlone(kube::Client& client) {
    if (answer_.plan.kubelet_only) {
      BringKubelet(*answer_.plan.kubelet_only, client,
                   [this](const std::string& line) { reporter_.Message(line); });
    }
  }

  void SayEnd() {
    const auto& plan = answer_.plan;
    reporter_.Message(fmt::format(
        "\n[upgrade] SUCCESS! The control plane of this node is at version {}\n\n[upgrade] The "
        "other nodes of the control plane follow with 'kubeadm upgrade node'; kubelets that are "
        "left to upgrade: {}",
        base::Quoted(plan.hops.back().version.TextWithV()), upgrade_path::KubeletsLeft(plan)));
  }

  cli::Invocation& invocation_;
  const cli::Parsed& flags_;
  host::Host& machine_;
  workflow::Reporter& reporter_;
  const config::UpgradeConfiguration upgrade_;
  world::MachineWorld world_;
  const std::vector<std::string> skipped_;
  PathAnswer answer_;
};

}  // namespace

std::vector<cli::Flag> PathFlags() { return UpgradeFlags({kPackages, kPath, kCommand}); }

bool WantsPath(const cli::Parsed& flags) {
  const bool packages = !flags.Text(kPackages).empty();
  const bool command = !flags.Text(kCommand).empty();
  if (!flags.Bool(kPath) && (packages || command)) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--{} goes with --path only", packages ? kPackages : kCommand));
  }
  if (packages && command) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--{} and --{} are two ways for one kubelet: give one of them",
                            kPackages, kCommand));
  }
  return flags.Bool(kPath);
}

void ShowPath(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const config::UpgradeConfiguration upgrade = LoadUpgradeConfig(invocation.flags, host);
  preflight::Require(
      preflight::RootChecks(host),
      config::IgnoredPreflightErrors(invocation.flags.List("ignore-preflight-errors"),
                                     upgrade.plan.ignore_preflight_errors),
      {.print = [&](std::string_view line) { output.Line(std::string(line)); },
       .remark = [&](std::string_view text) { invocation.streams.err << text << "\n"; },
       .stop = host.signals.Interrupt()});
  kube::Client client = ClientOfPath(invocation.flags, host);
  const PathAnswer answer =
      FindPath(invocation.flags, upgrade.plan.kubernetes_version, host, client);
  output.Show(answer.plan);
}

void ApplyPath(cli::Invocation& invocation, host::Host& host) {
  ReportRun(invocation, host,
            [&](workflow::Reporter& reporter) { PathRun(invocation, host, reporter).Run(); });
}

}  // namespace kubeadm
