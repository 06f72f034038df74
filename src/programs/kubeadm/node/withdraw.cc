// SPDX-License-Identifier: Apache-2.0
// Commands `kubeadm node withdraw` and `node admit`.
#include <chrono>
#include <memory>
#include <string>

#include "base/error.h"
#include "kubeadm/command_line.h"
#include "kubeadm/commands.h"
#include "kubeadm/documented.h"
#include "kubeadm/operation_command.h"
#include "kubeconfigs/connect.h"
#include "withdrawal/operation.h"

namespace kubeadm {
namespace {

constexpr std::chrono::seconds kPatience{10};  // for the API server to answer

std::string NodeIn(const cli::Invocation& invocation, const std::string& command) {
  if (invocation.flags.args().empty()) {
    throw base::Error(base::Error::Kind::kUsage,
                      "kubeadm node " + command + " needs the name of a node");
  }
  return invocation.flags.args().front();
}

std::shared_ptr<kube::Client> ConnectBy(const cli::Invocation& invocation, host::Host& host) {
  return std::make_shared<kube::Client>(
      kubeconfigs::ClientBy(host, invocation.flags.Text("kubeconfig"), kPatience));
}

PlannedRun PlanWithdrawal(const cli::Invocation& invocation, host::Host& host) {
  const std::string node = NodeIn(invocation, "withdraw");
  const auto client = ConnectBy(invocation, host);
  auto etcd = std::make_shared<etcd_maintenance::Access>(
      etcd_maintenance::Connect({.host = host, .stop = host.signals.Interrupt()}));
  const auto interrupted = withdrawal::FindInterrupted(host.files, node);
  const withdrawal::WithdrawalFacts facts = withdrawal::CollectFacts(
      node, interrupted.has_value(),
      {.host = host, .client = *client, .etcd = etcd->local ? etcd.get() : nullptr});
  const withdrawal::WithdrawalDeps deps{
      .client = client,
      .as_node = withdrawal::ConnectAsNode(host, invocation.flags.Text("kubeconfig"), node),
      .etcd = etcd};
  return {.operation = withdrawal::PlanWithdrawal(facts, deps),
          .journal = interrupted,
          .plan = ToString(facts),
          .require = [facts] { withdrawal::RequireAllowed(facts); },
          .end = withdrawal::StepsAfter(facts)};
}

PlannedRun PlanAdmission(const cli::Invocation& invocation, host::Host& host) {
  const std::string node = NodeIn(invocation, "admit");
  return {.operation = withdrawal::PlanAdmission(node, ConnectBy(invocation, host)),
          .plan = "Node " + node + " is admitted again\n"};
}

using Plan = PlannedRun (*)(const cli::Invocation& invocation, host::Host& host);

template <Plan plan>
void Run(cli::Invocation& invocation, host::Host& host) {
  RunOperation(
      "node", [&](const base::ShowLine&) { return plan(invocation, host); }, invocation, host);
}

}  // namespace

cli::Command NodeWithdrawCommand(host::Host& host) {
  return Made({.name = "withdraw",
               .summary = "Remove a node that was stolen, sold or lost, and refuse its name",
               .text = "node-withdraw",
               .flags = Joined(OperationFlags(), CommonFlags({"kubeconfig"})),
               .usage_args = "NAME",
               .max_args = 1,
               .run = Run<PlanWithdrawal>},
              host);
}

cli::Command NodeAdmitCommand(host::Host& host) {
  return Made({.name = "admit",
               .summary = "Let a withdrawn node's name join again",
               .text = "node-admit",
               .flags = Joined(OperationFlags(), CommonFlags({"kubeconfig"})),
               .usage_args = "NAME",
               .max_args = 1,
               .run = Run<PlanAdmission>},
              host);
}

}  // namespace kubeadm
