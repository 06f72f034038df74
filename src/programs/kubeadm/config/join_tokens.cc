// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/config/join_tokens.h"

#include <memory>
#include <optional>

#include "base/error.h"
#include "config_change/join_tokens.h"
#include "kubeadm/config_look.h"
#include "kubeadm/operation_command.h"
#include "node_input/config_facts.h"

namespace kubeadm {
namespace {

using join_secrets::JoinTokens;

PlannedRun PlanJoinTokens(JoinTokens wanted, const cli::Parsed& flags, host::Host& host,
                          const base::ShowLine& say) {
  const auto look = std::make_shared<Look>(flags, host);
  look->AwaitServer(say);
  const auto client = std::make_shared<kube::Client>(look->Sources().client);
  PlannedRun run{.operation = config_change::JoinTokensOperation(
                     config_change::CollectJoinTokens(*client), wanted, client)};
  const auto interrupted = engine::LoadJournal(host.files, run.operation.name);
  if (interrupted && interrupted->intent == run.operation.intent) {
    run.journal = interrupted;
  }
  run.plan = run.operation.steps.empty()        ? "Nothing changes\n"
             : wanted == JoinTokens::kBoundOnly ? "Tokens are bound to nodes\n"
                                                : "Tokens are not bound to nodes any more\n";
  return run;
}

}  // namespace

bool ApplyJoinTokens(const std::vector<std::string>& words, cli::Invocation& invocation,
                     host::Host& host) {
  const std::string& file = invocation.flags.Text("config");
  const std::optional<JoinTokens> wanted =
      file.empty() ? config_change::JoinTokensIn(words)
                   : config_change::JoinTokensIn(node_input::ReadSource(host, file));
  if (!wanted) {
    return false;
  }
  if (invocation.flags.Changed("try")) {
    throw base::Error(base::Error::Kind::kUsage,
                      "nodeBoundTokens has no trial: set it back with "
                      "'--set nodeBoundTokens.enabled=false'");
  }
  RunOperation(
      "config",
      [&](const base::ShowLine& say) {
        return PlanJoinTokens(*wanted, invocation.flags, host, say);
      },
      invocation, host);
  return true;
}

}  // namespace kubeadm
