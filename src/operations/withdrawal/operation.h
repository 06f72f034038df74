// SPDX-License-Identifier: Apache-2.0
// The withdrawal of a node, and its end, as operations of the engine (docs/node-withdraw.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/operation.h"
#include "host/files.h"
#include "withdrawal/enforcement.h"
#include "withdrawal/facts.h"

namespace withdrawal {

inline constexpr std::string_view kOperation = "node-withdraw";  // engine::Operation::name

// Dependencies of the steps.
struct WithdrawalDeps {
  std::shared_ptr<kube::Client> client;
  AsNode as_node;
  std::shared_ptr<etcd_maintenance::Access> etcd;  // null: etcd is external
};

// Returns the plan for users, without its steps: the credentials of the node that stay valid, and
// until when. Pure.
std::string ToString(const WithdrawalFacts& facts);

// Throws base::Error(kConflict) if etcd would lose its majority, or if the node has etcd's only
// member.
void RequireAllowed(const WithdrawalFacts& facts);

// Returns the operation. Its first step makes the cluster refuse new certificates for the name, and
// ends when each API server refuses the node. The other steps delete bound tokens, remove the etcd
// member, and delete the Node and its pending requests. Each step is idempotent.
engine::Operation PlanWithdrawal(const WithdrawalFacts& facts, const WithdrawalDeps& deps);

// Returns the lines after a withdrawal: what the user must do about access that remains.
std::vector<std::string> StepsAfter(const WithdrawalFacts& facts);

// Returns the journal of an interrupted withdrawal of the same node; std::nullopt otherwise.
std::optional<engine::Journal> FindInterrupted(const host::Files& files, const std::string& node);

// Returns the operation that allows the name again. Throws base::Error(kNotFound) if the name was
// not withdrawn. Throws the errors of kube::Client.
engine::Operation PlanAdmission(const std::string& node,
                                const std::shared_ptr<kube::Client>& client);

}  // namespace withdrawal
