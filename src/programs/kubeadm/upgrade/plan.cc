// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "checks/require.h"
#include "cli/terminal.h"
#include "config/arguments.h"
#include "config/images.h"
#include "control_plane/soak.h"
#include "kube/dry_run.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/flags.h"
#include "kubeadm/upgrade/path_question.h"
#include "node_input/config_facts.h"
#include "preflight/checks.h"
#include "steps/upgrade/steps.h"
#include "steps/world.h"
#include "stored_config/this_node.h"
#include "upgrade/config_lines.h"
#include "upgrade/core_dns_checks.h"
#include "upgrade/find_plan.h"
#include "upgrade/gate_notices.h"
#include "upgrade/health.h"
#include "upgrade/plan_report.h"
#include "upgrade_path/etcd_step.h"
#include "upgrade_path/findings.h"

namespace kubeadm {
namespace {

// A short limit: the command only reads, so the user can repeat it.
constexpr std::chrono::milliseconds kPatience{10'000};

// One run of the command.
class PlanRun {
 public:
  PlanRun(cli::Invocation& invocation, host::Host& host)
      : invocation_(invocation),
        flags_(invocation.flags),
        host_(host),
        printer_(PrinterOf(flags_, host)),
        upgrade_(LoadUpgradeConfig(flags_, host)),
        ignored_checks_{config::IgnoredPreflightErrors(flags_.List("ignore-preflight-errors"),
                                                       upgrade_.plan.ignore_preflight_errors)},
        world_(steps::ChooseWorld(host, upgrade_.plan.dry_run.value_or(false), {})) {}

  void Run() {
    Check(preflight::RootChecks(host_));
    Check({preflight::StrayManifestsCheck(host_, checks::Severity::kWarning)});
    client_.emplace(MakeTransport(), host_.clock,
                    kube::RetryPolicy{.limit = kPatience, .grace = std::chrono::milliseconds(0)},
                    host_.signals.Interrupt());
    AwaitServer(upgrade_.timeouts, *client_, host_, [this](const std::string& line) { Say(line); });
    Say("[preflight] Checking the cluster");
    // An API server that is down is reported at once, before any wait for it.
    const base::Version cluster = base::WithContext("the cluster does not answer", [&] {
      return control_plane::CollectApiServerVersion(*client_);
    });
    const stored_config::FetchedConfig fetched = FetchConfig();
    Check(upgrade::CoreDnsChecks(
        *client_, upgrade::CoreDnsToCome(fetched.config.cluster, cluster, Question().wanted)));
    CheckHealth(fetched.config.cluster);
    ShowConfig(fetched.config.cluster);
    const upgrade::PlanView view = FindPlan(fetched);
    WarnOfRefusedSettings(view, fetched.config);
    if (view.upgrades.empty()) {
      Say("[upgrade/versions] There is nothing to upgrade to");
      return;
    }
    if (printer_.IsText()) {
      invocation_.streams.out << "\n" << upgrade::PlanText(view);
    } else {
      invocation_.streams.out << cli::Exact{printer_.Print(upgrade::PlanObject(view))};
    }
  }

 private:
  // Returns a transport that logs the calls that it skips in a dry run, such as the creation of the
  // health check's Job. Only the configuration can request a dry run.
  steps::Transports::Transport MakeTransport() {
    const auto connect = [this] { return UpgradeTransport(flags_.Text("kubeconfig"), host_); };
    world_->ReportTo([this](const std::string& report) { Say(base::Trim(report)); });
    return world_->Connect({.real = connect, .dry_run = [&](const base::ShowLine& log) {
                              return std::make_shared<kube::DryRunTransport>(
                                  kube::DryRunOptions{.log = log, .real = connect()});
                            }});
  }

  // Prints a line for humans. Other formats contain only the result.
  void Say(std::string_view line) {
    if (printer_.IsText()) {
      invocation_.streams.out << line << "\n" << std::flush;
    }
  }

  void Check(const std::vector<checks::Check>& checks) {
    checks::Require(
        checks, ignored_checks_,
        {.print = [this](const std::string& line) { Say(line); },
         .remark = [this](std::string_view text) { invocation_.streams.err << text << "\n"; },
         .stop = host_.signals.Interrupt()});
  }

  stored_config::FetchedConfig FetchConfig() {
    Say("[upgrade/config] Reading the cluster's configuration from ConfigMap \"kubeadm-config\" in "
        "namespace \"kube-system\"");
    return base::WithContext("[upgrade/init config] FATAL", [&] {
      return stored_config::FetchConfig(*client_, host_.files,
                                        {.facts = node_input::CollectFacts(host_),
                                         .cri_socket = config::CriSocketChoice::kAssume});
    });
  }

  void CheckHealth(const config::ClusterConfiguration& cluster) {
    Say("[upgrade] Checking the cluster's health");
    base::WithContext("[upgrade/health] FATAL", [&] {
      const upgrade::HealthInput input{
          .host = host_,
          .client = *client_,
          .pause_image = config::PauseImage(cluster),
          .perform = [this](const std::string& would, const auto& act) {
            world_->Do({.on_machine = act, .in_dry_run = [&] { Say(would); }});
          }};
      Check(upgrade::StateChecks(input));
      Check(upgrade::JobChecks(input));
    });
  }

  void ShowConfig(const config::ClusterConfiguration& cluster) {
    if (const auto emulated = control_plane::EmulatedVersion(cluster)) {
      Say(
          fmt::format("[upgrade/config] The control plane behaves as v{}.{} until 'kubeadm upgrade "
                      "commit'",
                      emulated->major, emulated->minor));
    }
    for (const std::string& notice : upgrade::GateNotices(cluster)) {
      Say("[upgrade/config] " + notice);
    }
    if (Chosen(flags_, "print-config", upgrade_.plan.print_config)) {
      std::ranges::for_each(upgrade::ConfigLines(cluster),
                            [this](const std::string& line) { Say(line); });
    }
  }

  // Names settings that the programs of an offered version would refuse at their start.
  void WarnOfRefusedSettings(const upgrade::PlanView& view, const config::Init& config) {
    const auto etcd = Question().etcd == upgrade::EtcdUpgrade::kYes
                          ? upgrade_path::EtcdHop::kUpgraded
                          : upgrade_path::EtcdHop::kKept;
    for (const upgrade::PlannedUpgrade& planned : view.upgrades) {
      const base::Version version = base::Version::Parse(planned.offer.version).value();
      for (const auto& finding : upgrade_path::CheckSettings(
               {.host = host_,
                .config = config,
                .wanted = version,
                .etcd = etcd,
                .patches = upgrade_steps::PatchesOrAdopted(
                    upgrade_.apply.patches.value_or(config::Patches{}).directory, host_.files)})) {
        base::LogWarning("[upgrade/versions] to {}: {}", version.TextWithV(), finding.what);
      }
      WarnOfEtcdStep(planned, config.cluster);
    }
  }

  // Warns of members that are too old for the etcd of the upgrade.
  static void WarnOfEtcdStep(const upgrade::PlannedUpgrade& planned,
                             const config::ClusterConfiguration& cluster) {
    std::vector<control_plane::NodeVersion> members;
    std::string target;
    for (const upgrade::ComponentUpgrade& row : planned.components) {
      if (row.name == config::kEtcd) {
        members.push_back({.node = row.node, .version = row.current});
        target = row.target;
      }
    }
    if (cluster.etcd.local && !cluster.etcd.local->image_tag.empty()) {
      target = cluster.etcd.local->image_tag;
    }
    if (const auto hazard = upgrade_path::FindEtcdStepHazard(members, target)) {
      base::LogWarning("[upgrade/versions] to {}: {}", planned.offer.version, *hazard);
    }
  }

  upgrade::PlanQuestion Question() const {
    const config::UpgradePlan& plan = upgrade_.plan;
    return {.allowed = {.experimental = Chosen(flags_, "allow-experimental-upgrades",
                                               plan.allow_experimental_upgrades),
                        .release_candidates = Chosen(flags_, "allow-release-candidate-upgrades",
                                                     plan.allow_rc_upgrades)},
            .wanted = ChosenVersion(flags_, plan.kubernetes_version),
            .etcd = Chosen(flags_, "etcd-upgrade", plan.etcd_upgrade) ? upgrade::EtcdUpgrade::kYes
                                                                      : upgrade::EtcdUpgrade::kNo};
  }

  upgrade::PlanView FindPlan(const stored_config::FetchedConfig& fetched) {
    upgrade::PlanQuestion question = Question();
    question.core_dns_tag = fetched.config.cluster.dns.image_tag;
    return base::WithContext("[upgrade/versions] FATAL", [&] {
      return upgrade::FindPlan(question,
                               {.client = *client_,
                                .fetch = node_input::CollectFacts(host_).fetch,
                                .stored = fetched.stored},
                               [this](const std::string& line) { Say(line); });
    });
  }

  cli::Invocation& invocation_;
  const cli::Parsed& flags_;
  host::Host& host_;
  print::Printer printer_;
  config::UpgradeConfiguration upgrade_;
  std::set<std::string> ignored_checks_;
  std::unique_ptr<steps::World> world_;
  std::optional<kube::Client> client_;  // created after the checks that need no client
};

void Plan(cli::Invocation& invocation, host::Host& machine) {
  if (WantsPath(invocation.flags)) {
    ShowPath(invocation, machine);
  } else {
    PlanRun(invocation, machine).Run();
  }
}

}  // namespace

cli::Command UpgradePlanCommand(host::Host& host) {
  return Made({.name = "plan",
               .summary = "Show the versions that this cluster can be upgraded to",
               .text = "upgrade-plan",
               .flags = WithPrinter(Joined(
                   UpgradeFlags({"allow-experimental-upgrades", "allow-release-candidate-upgrades",
                                 "config", "etcd-upgrade", "ignore-preflight-errors", "kubeconfig",
                                 "print-config"}),
                   Joined(PathFlags(), UpgradeFlags({"check"})))),
               .usage_args = "[version]",
               .max_args = cli::kAnyNumber,
               .run = Plan},
              host);
}

}  // namespace kubeadm
