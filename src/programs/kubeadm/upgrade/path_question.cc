// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/upgrade/path_question.h"

#include <fmt/format.h>

#include <utility>

#include "base/error.h"
#include "config/arguments.h"
#include "kubeadm/printed.h"
#include "kubeadm/upgrade/config.h"
#include "kubeadm/upgrade/flags.h"
#include "preflight/checks.h"
#include "preflight/require.h"
#include "upgrade_path/report.h"

namespace kubeadm {
namespace {

using base::Error;

constexpr const char* kPath = "path";
constexpr const char* kPackages = "node-packages";
constexpr const char* kCommand = "upgrade-kubelet-command";

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

kube::Client ClientOfPath(const cli::Parsed& flags, host::Host& host) {
  return kube::Client(UpgradeTransport(flags.Text("kubeconfig"), host), host.clock, {},
                      host.signals.Interrupt());
}

PathAnswer FindPath(const cli::Parsed& flags, const std::string& configured, host::Host& host,
                    kube::Client& client) {
  std::vector<upgrade_path::KubeletProgram> programs;
  if (const std::string& directory = flags.Text(kPackages); !directory.empty()) {
    programs = base::WithContext("--node-packages",
                                 [&] { return upgrade_path::FindKubelets(host, directory); });
  }
  return {upgrade_path::FindPath({.host = host,
                                  .client = client,
                                  .wanted = ChosenVersion(flags, configured),
                                  .kubelets = programs,
                                  .kubelet_command = !flags.Text(kCommand).empty()}),
          std::move(programs)};
}

void ShowPath(cli::Invocation& invocation, host::Host& host) {
  const Output output(invocation, host);
  const config::UpgradeConfiguration upgrade = LoadUpgradeConfig(invocation.flags, host);
  preflight::Require(
      preflight::RootChecks(host),
      config::IgnoredPreflightErrors(invocation.flags.List("ignore-preflight-errors"),
                                     upgrade.plan.ignore_preflight_errors),
      {.print = [&](const std::string& line) { output.Line(line); },
       .remark = [&](const std::string& text) { invocation.streams.err << text << "\n"; },
       .stop = host.signals.Interrupt()});
  kube::Client client = ClientOfPath(invocation.flags, host);
  const PathAnswer answer =
      FindPath(invocation.flags, upgrade.plan.kubernetes_version, host, client);
  output.Show(answer.plan);
}

}  // namespace kubeadm
