// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/path_question.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "checks/require.h"
#include "config/defaults.h"
#include "control_plane/replaced_server.h"
#include "kubeadm/documented.h"
#include "kubeadm/printed.h"
#include "kubeadm/upgrade/flags.h"
#include "preflight/checks.h"
#include "steps/upgrade/steps.h"
#include "upgrade_path/report.h"

namespace kubeadm {
namespace {

using base::Error;

// A short limit: the command only reads, so the user can repeat it.
constexpr std::chrono::milliseconds kOnlyLooking{10'000};

constexpr const char* kPath = "path";
constexpr const char* kCheck = "check";
constexpr const char* kPackages = "node-packages";
constexpr const char* kCommand = "upgrade-kubelet-command";

void RefuseTwoKubelets(const cli::Parsed& flags) {
  if (!flags.Text(kPackages).empty() && !flags.Text(kCommand).empty()) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--{} and --{} are two ways for one kubelet: give one of them",
                            kPackages, kCommand));
  }
}

}  // namespace

std::vector<cli::Flag> PathFlags() { return Joined(KubeletFlags(), UpgradeFlags({kPath})); }

std::vector<cli::Flag> KubeletFlags() { return UpgradeFlags({kPackages, kCommand}); }

bool WantsPath(const cli::Parsed& flags) {
  const bool packages = !flags.Text(kPackages).empty();
  const bool command = !flags.Text(kCommand).empty();
  const bool check = flags.Offers(kCheck) && flags.Bool(kCheck);
  if (!flags.Bool(kPath) && (packages || command || check)) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--{} can be used only with --path", packages  ? kPackages
                                                                 : command ? kCommand
                                                                           : kCheck));
  }
  RefuseTwoKubelets(flags);
  return flags.Bool(kPath);
}

void RequireClearPath(const upgrade_path::PathPlan& plan) {
  if (checks::HasErrors(plan.findings)) {
    throw Error(Error::Kind::kInvalid,
                "nothing was changed: something on the way would break (listed above, without "
                "\"note\"). Fix it, or go on all the same with --force");
  }
}

void TakeKubelets(const cli::Parsed& flags, host::Host& host, upgrade_steps::UpgradeOptions& into) {
  if (!flags.Offers(kPackages)) {
    return;
  }
  RefuseTwoKubelets(flags);
  into.kubelet_command = flags.Text(kCommand);
  if (const std::string& directory = flags.Text(kPackages); !directory.empty()) {
    into.kubelets = base::WithContext("--node-packages",
                                      [&] { return upgrade_path::FindKubelets(host, directory); });
  }
}

void AwaitServer(const std::optional<config::Timeouts>& timeouts, kube::Client& client,
                 host::Host& host, const base::ShowLine& say) {
  control_plane::AwaitReplacedServer(
      {.host = host,
       .client = client,
       .limit = std::chrono::duration_cast<std::chrono::milliseconds>(
           config::TimeoutOf(timeouts, &config::Timeouts::upgrade_manifests)),
       .stop = host.signals.Interrupt(),
       .progress = [&](std::optional<std::string_view> what) {
         if (what) {
           say(fmt::format("[upgrade] {}", *what));
         }
       }});
}

kube::Client ClientOfPath(const cli::Parsed& flags, host::Host& host,
                          const kube::RetryPolicy& retry) {
  return kube::Client(UpgradeTransport(flags.Text("kubeconfig"), host), host.clock, retry,
                      host.signals.Interrupt());
}

upgrade_path::PathAnswer FindPath(const cli::Parsed& flags, upgrade_path::PathOptions options,
                                  host::Host& host, kube::Client& client) {
  upgrade_steps::UpgradeOptions upgrade;
  TakeKubelets(flags, host, upgrade);
  options.patches = upgrade_steps::PatchesOrAdopted(options.patches, host.files);
  return upgrade_path::FindPath({.host = host,
                                 .client = client,
                                 .options = std::move(options),
                                 .kubelets = std::move(upgrade.kubelets),
                                 .kubelet_command = !upgrade.kubelet_command.empty()});
}

void ShowPath(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const config::UpgradeConfiguration upgrade = LoadUpgradeConfig(invocation.flags, host);
  checks::Require(
      preflight::RootChecks(host),
      config::IgnoredPreflightErrors(invocation.flags.List("ignore-preflight-errors"),
                                     upgrade.plan.ignore_preflight_errors),
      {.print = [&](const std::string& line) { output.Line(line); },
       .remark = [&](const std::string& text) { invocation.streams.err << text << "\n"; },
       .stop = host.signals.Interrupt()});
  kube::Client client = ClientOfPath(invocation.flags, host, {.limit = kOnlyLooking});
  AwaitServer(upgrade.timeouts, client, host, [&](const std::string& line) { output.Line(line); });
  const config::Patches patches = upgrade.apply.patches.value_or(config::Patches{});
  const upgrade_path::PathAnswer answer =
      FindPath(invocation.flags, PathOptionsOf(upgrade.plan, invocation.flags, patches.directory),
               host, client);
  output.Show(answer.plan);
  if (invocation.flags.Bool(kCheck)) {
    RequireClearPath(answer.plan);
  }
}

}  // namespace kubeadm
