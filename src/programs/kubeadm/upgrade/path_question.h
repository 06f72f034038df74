// SPDX-License-Identifier: Apache-2.0
// The path over several minor versions: `upgrade plan --path`, and the same queries in `upgrade
// apply --path`.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "cli/command.h"
#include "cli/flags.h"
#include "config/arguments.h"
#include "host/host.h"
#include "kube/client.h"
#include "kubeadm/upgrade/config.h"
#include "steps/upgrade/data.h"
#include "upgrade_path/find.h"

namespace kubeadm {

// Returns --path and the flags that require it.
std::vector<cli::Flag> PathFlags();

// Throws base::Error(kInvalid) if a finding of the plan is an error.
void RequireClearPath(const upgrade_path::PathPlan& plan);

// Returns the flags for the upgrade of this node's kubelet.
std::vector<cli::Flag> KubeletFlags();

// Reads the flags of KubeletFlags into `into`, if the command has them. Throws base::Error(kUsage)
// if two of these flags are set, and for a directory without a kubelet.
void TakeKubelets(const cli::Parsed& flags, host::Host& host, upgrade_steps::UpgradeOptions& into);

// Returns whether --path is set. Throws base::Error(kUsage) if a flag that requires --path is set
// without --path, and if two flags name a source of the same kubelet.
bool WantsPath(const cli::Parsed& flags);

// Runs `upgrade plan --path`. With --check, throws base::Error(kInvalid) if the path has errors,
// after the path was shown.
void ShowPath(cli::Invocation& invocation, host::Host& host);

// Reads the options from the section of the UpgradeConfiguration for apply or plan. Common fields
// have the same names in both sections. `patches` is the user's directory; "" if the user has none.
template <typename Part>
upgrade_path::PathOptions PathOptionsOf(const Part& part, const cli::Parsed& flags,
                                        const std::string& patches) {
  return {.version = ChosenVersion(flags, part.kubernetes_version),
          .allowed = {.experimental = Chosen(flags, "allow-experimental-upgrades",
                                             part.allow_experimental_upgrades),
                      .release_candidates = Chosen(flags, "allow-release-candidate-upgrades",
                                                   part.allow_rc_upgrades)},
          .upgrades_etcd = Chosen(flags, "etcd-upgrade", part.etcd_upgrade),
          .ignored_checks = config::IgnoredPreflightErrors(flags.List("ignore-preflight-errors"),
                                                           part.ignore_preflight_errors),
          .patches = patches};
}

// Collects the facts from the cluster and this node, and plans the path. If the user gives no
// patches, uses the patches that were made from edits on this node, as the upgrade does. Throws
// base::Error: kUsage for the flags, kUnavailable if the cluster does not answer.
upgrade_path::PathAnswer FindPath(const cli::Parsed& flags, upgrade_path::PathOptions options,
                                  host::Host& host, kube::Client& client);

// Calls control_plane::AwaitReplacedServer with the configured limit.
void AwaitServer(const std::optional<config::Timeouts>& timeouts, kube::Client& client,
                 host::Host& host, const base::ShowLine& say);

// Creates a client for the cluster of --kubeconfig.
kube::Client ClientOfPath(const cli::Parsed& flags, host::Host& host,
                          const kube::RetryPolicy& retry = {});

}  // namespace kubeadm
