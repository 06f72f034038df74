// SPDX-License-Identifier: Apache-2.0
// Removes a member of etcd, as an operation of the engine (docs/etcd.md).
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/operation.h"
#include "etcd/client.h"
#include "etcd/health.h"
#include "etcd/waiting.h"
#include "etcd_maintenance/access.h"
#include "host/files.h"

namespace etcd_maintenance {

inline constexpr std::string_view kRemoveOperation = "etcd-remove";  // engine::Operation::name

// The plan of a removal, shown before the user confirms it.
struct RemovalPlan {
  // The member to remove. std::nullopt if an interrupted run has removed it.
  std::optional<etcd::Member> member;
  std::vector<std::string> remaining;  // voting members afterwards, by name
  std::optional<std::string> refusal;  // why the member must not be removed
  bool healthy = false;                // whether the member serves
  std::size_t tolerated = 0;           // number of failures that etcd survives afterwards
};

// Plans the removal of the member of that name or hexadecimal id. Pure. Refuses to remove this
// node's own member, whose peer URL is `own_peer_url` ("" without an own member). With `resumes`,
// an earlier run may have removed the member already. Throws base::Error(kNotFound) for an unknown
// member, except with `resumes`.
RemovalPlan PlanRemoval(const etcd::Health& health, const std::string& name_or_id,
                        const std::string& own_peer_url, bool resumes);

// Formats the plan for users: the remaining members, and how many failures etcd then survives.
std::string TextOf(const RemovalPlan& plan);

// Throws base::Error(kConflict) for a plan with a refusal.
void RequireAllowed(const RemovalPlan& plan);

// Returns the operation of a plan. If the plan has no member, the operation has no steps. The step
// checks the majority again, and throws the errors of etcd::RemoveMember.
engine::Operation RemoveOperation(const RemovalPlan& plan, const std::string& name_or_id,
                                  std::shared_ptr<Access> access);

// Returns the journal of an interrupted removal of the same member. Returns std::nullopt for the
// removal of another member: the next run replaces that journal.
std::optional<engine::Journal> FindInterruptedRemoval(const host::Files& files,
                                                      const std::string& name_or_id);

// Returns the lines after a removal: the remaining actions for the member's node.
std::vector<std::string> StepsAfterRemoval(const RemovalPlan& plan);

}  // namespace etcd_maintenance
