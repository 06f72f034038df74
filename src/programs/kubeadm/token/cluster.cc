// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/token/cluster.h"

#include <fmt/core.h>

#include <istream>
#include <ostream>

#include "base/error.h"
#include "base/strings.h"
#include "cli/input.h"
#include "kube/dry_run.h"
#include "kubeadm/command_line.h"
#include "kubeconfigs/connect.h"
#include "kubeconfigs/load.h"

namespace kubeadm {
namespace {

using std::chrono::milliseconds;

// The limit is short, because interactive users do not wait long.
const kube::RetryPolicy kRetry{.limit = milliseconds(10'000), .grace = milliseconds(0)};

void AddWords(std::string_view text, TokenWords& to) {
  for (std::string& word : base::Fields(text)) {
    to.words.push_back(std::move(word));
  }
  to.from_elsewhere = true;
}

}  // namespace

host::fs::path TokenKubeconfigPath(const cli::Parsed& flags, const host::Host& host) {
  const std::string& given = flags.Text("kubeconfig");
  return flags.Changed("kubeconfig") && !given.empty() ? host::fs::path(given)
                                                       : kubeconfigs::UserPath(host);
}

TokenCluster ConnectForTokens(cli::Invocation& invocation, host::Host& host, const Canned& canned) {
  const host::fs::path path = TokenKubeconfigPath(invocation.flags, host);
  if (!host.files.Exists(path)) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("cannot load the kubeconfig: {}: no such file; name an "
                                  "administrator's with --kubeconfig, on a control plane as root "
                                  "/etc/kubernetes/admin.conf",
                                  path.string()));
  }
  kube::Kubeconfig config = base::WithContext(
      "cannot load the kubeconfig", [&] { return kubeconfigs::LoadKubeconfig(host.files, path); });
  std::shared_ptr<kube::Transport> transport =
      base::WithContext(path.string(), [&] { return kubeconfigs::ConnectBy(host, config); });
  std::unique_ptr<steps::World> world = WorldBy(invocation.flags, host);
  world->ReportTo([&out = invocation.streams.out](const std::string& report) { out << report; });
  transport =
      world->Connect({.real = [&] { return transport; },
                      .dry_run =
                          [&](const base::ShowLine& log) {
                            return std::make_shared<kube::DryRunTransport>(kube::DryRunOptions{
                                .log = log, .real = transport, .canned = canned});
                          }});
  return {.world = std::move(world),
          .config = std::move(config),
          .client = {std::move(transport), host.clock, kRetry, host.signals.Interrupt()}};
}

cli::Flag TokenFileFlag() {
  return {.name = "token-file",
          .help = "A file to read the token from, so that it does not appear in the process list",
          .beyond_upstream = true};
}

TokenWords ReadTokenWords(cli::Invocation& invocation, const host::Host& host) {
  TokenWords tokens;
  for (const std::string& argument : invocation.flags.args()) {
    if (argument == "-") {
      AddWords(cli::ReadInput(invocation.streams.in), tokens);
    } else {
      tokens.words.push_back(argument);
    }
  }
  if (const std::string& path = invocation.flags.Text("token-file"); !path.empty()) {
    AddWords(host.files.Read(path), tokens);
  }
  return tokens;
}

}  // namespace kubeadm
