// SPDX-License-Identifier: Apache-2.0
// Command `kubeadm node recover`.
#include <fmt/core.h>

#include <istream>

#include "base/error.h"
#include "base/strings.h"
#include "cli/input.h"
#include "config/token.h"
#include "json/rfc3339.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/operation_command.h"
#include "node_identity/recovery/operation.h"

namespace kubeadm {
namespace {

using base::Error;
using kubelet_recovery::Found;
using kubelet_recovery::Plan;

constexpr const char* kTokenVariable = "BOOTSTRAP_TOKEN";

// Returns the token of --token; "-" reads it from standard input. Without --token, returns the
// token in the environment, unless the CA's key is on this node. A token from standard input or the
// environment does not appear in the process list.
std::string TokenOf(const cli::Invocation& invocation, const host::Host& host) {
  std::string token = invocation.flags.Text("token");
  std::string source = "--token";
  if (token == "-") {
    token = base::Trim(cli::ReadLine(invocation.streams.in));
  } else if (token.empty() && !kubelet_recovery::HasCaKey(host.files)) {
    token = host.environment.Get(kTokenVariable);
    source = kTokenVariable;
  }
  if (!token.empty() && !config::IsToken(token)) {
    throw Error(Error::Kind::kUsage,
                source +
                    ": this is not a bootstrap token (six characters, a dot, sixteen characters); "
                    "'kubeadm token create' on a control plane prints one");
  }
  return token;
}

std::vector<std::string> PinsOf(const cli::Parsed& flags) {
  constexpr const char* kFlag = "discovery-token-ca-cert-hash";
  const std::vector<std::string> pins = flags.List(kFlag);
  for (const std::string& pin : pins) {
    if (!config::IsCaCertHash(pin)) {
      throw Error(Error::Kind::kUsage,
                  fmt::format("--{}: {} is not \"sha256:\" and 64 hexadecimal digits", kFlag,
                              base::Quoted(pin)));
    }
  }
  return pins;
}

std::optional<kubelet_recovery::TokenSource> SourceBy(const cli::Invocation& invocation,
                                                      const host::Host& host) {
  const cli::Parsed& flags = invocation.flags;
  const std::vector<std::string> pins = PinsOf(flags);
  const std::string token = TokenOf(invocation, host);
  if (token.empty()) {
    if (!flags.args().empty()) {
      throw Error(Error::Kind::kUsage, "an endpoint can be given only with --token");
    }
    return std::nullopt;
  }
  return kubelet_recovery::TokenSource{
      .token = token, .endpoint = flags.args().empty() ? "" : flags.args().front(), .hashes = pins};
}

PlannedRun PlanRecovery(const cli::Parsed& flags, const kubelet_recovery::RecoveryDeps& deps) {
  const auto interrupted = engine::LoadJournal(deps.host.files, kubelet_recovery::kOperation);
  const Found found = kubelet_recovery::CollectFound(deps.host, flags.Text("node-name"));
  const Plan plan = PlanFor(found, flags.Bool("force"), interrupted);
  const auto credentials = std::make_shared<std::optional<kubelet_recovery::NewCredentials>>();
  PlannedRun run{.operation = PlanOperation(plan, found, credentials),
                 .journal = JournalFor(plan, found, interrupted)};
  if (plan == Plan::kNothing) {
    deps.say(fmt::format(
        "The kubelet's certificate is good until {}; --force makes a new one all the same",
        json::FormatRfc3339(found.until)));
    return run;
  }
  run.end = {"The kubelet works with its new certificate; its Pods kept running"};
  const std::string consequence =
      plan == Plan::kRestart ? "" : fmt::format("; node {} gets a new one", found.node);
  WorldBy(flags, deps.host)
      ->Do({.on_machine = [&] { deps.say(ReasonOf(found) + consequence); },
            .in_dry_run = [&] { run.plan = ToString(plan, found, deps.source); }});
  if (plan == Plan::kNewCertificate) {
    run.prepare = [=] { *credentials = Issue(found, deps); };
  }
  return run;
}

void Recover(cli::Invocation& invocation, host::Host& host) {
  const auto source = SourceBy(invocation, host);
  RunOperation(
      "recover",
      [&](const base::ShowLine& say) {
        return PlanRecovery(
            invocation.flags,
            {.host = host, .source = source, .stop = host.signals.Interrupt(), .say = say});
      },
      invocation, host);
}

}  // namespace

cli::Command NodeRecoverCommand(host::Host& host) {
  return Made(
      {.name = "recover",
       .summary = "Give the kubelet a new certificate where its own has expired or is lost",
       .text = "node-recover",
       .flags =
           Joined(UnconfirmedFlags(),
                  {{.name = "discovery-token-ca-cert-hash",
                    .type = cli::FlagType::kList,
                    .help = "With a token: the CA's public key is \"<type>:<value>\"; by default "
                            "the CA on this node counts"},
                   Switch("force", "Make a new certificate also where the old one is good"),
                   {.name = "node-name",
                    .help = "The node's name, if its old certificate does not give it"},
                   {.name = "token",
                    .help = "A bootstrap token, where the CA's key is not on this node; - reads it "
                            "from standard input; by default that of BOOTSTRAP_TOKEN"}}),
       .usage_args = "[API server's endpoint]",
       .max_args = 1,
       .run = Recover},
      host);
}

}  // namespace kubeadm
