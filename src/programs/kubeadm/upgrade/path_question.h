// SPDX-License-Identifier: Apache-2.0
// Which way leads over several minor versions: `upgrade plan --path`, and what `upgrade apply
// --path` asks like it.
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
#include "upgrade_path/find.h"
#include "upgrade_steps/data.h"

namespace kubeadm {

// PathFlags are --path and what goes with it alone.
std::vector<cli::Flag> PathFlags();

// KubeletFlags say how this node's kubelet follows.
std::vector<cli::Flag> KubeletFlags();

// TakeKubelets reads them where they are offered. Throws base::Error(kUsage) for both at once, and
// for a directory without a kubelet.
void TakeKubelets(const cli::Parsed& flags, host::Host& host, upgrade_steps::UpgradeOptions& into);

// WantsPath tells whether --path is given. Throws base::Error(kUsage) for a flag that goes with it
// alone, and for two ways to one kubelet.
bool WantsPath(const cli::Parsed& flags);

// ShowPath is `upgrade plan --path`.
void ShowPath(cli::Invocation& invocation, host::Host& host);

// PathOptionsOf reads the part of apply or plan: both name alike what they have in common.
template <typename Part>
upgrade_path::PathOptions PathOptionsOf(const Part& part, const cli::Parsed& flags) {
  return {.version = ChosenVersion(flags, part.kubernetes_version),
          .allowed = {.experimental = Chosen(flags, "allow-experimental-upgrades",
                                             part.allow_experimental_upgrades),
                      .release_candidates = Chosen(flags, "allow-release-candidate-upgrades",
                                                   part.allow_rc_upgrades)},
          .upgrades_etcd = Chosen(flags, "etcd-upgrade", part.etcd_upgrade),
          .ignored_checks = config::IgnoredPreflightErrors(flags.List("ignore-preflight-errors"),
                                                           part.ignore_preflight_errors)};
}

// FindPath asks the cluster and this node. Throws base::Error.
upgrade_path::PathAnswer FindPath(const cli::Parsed& flags,
                                  const upgrade_path::PathOptions& options, host::Host& host,
                                  kube::Client& client);

// AwaitServer is upgrade::AwaitReplacedServer for so long as the configuration says.
void AwaitServer(const std::optional<config::Timeouts>& timeouts, kube::Client& client,
                 host::Host& host, const base::ShowLine& say);

// ClientOfPath asks the cluster by --kubeconfig.
kube::Client ClientOfPath(const cli::Parsed& flags, host::Host& host,
                          const kube::RetryPolicy& retry = {});

}  // namespace kubeadm
