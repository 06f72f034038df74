// SPDX-License-Identifier: Apache-2.0
// Functions that free space of etcd: compaction, defragmentation, and the end of a NOSPACE alarm
// (docs/etcd.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/show_line.h"
#include "engine/operation.h"
#include "etcd/client.h"
#include "etcd/waiting.h"
#include "host/files.h"
#include "json/value.h"

namespace etcd_maintenance {

// Dependencies of this file's functions. References must outlive the call.
struct SpaceDeps {
  etcd::Client& client;
  etcd::Waiting waiting;  // for a member to serve again after its defragmentation
  base::ShowLine say;
};

// The result of Compact.
struct Compaction {
  std::int64_t revision = 0;
};

// Compacts etcd to the revision, by default the present one. Returns when the members have
// discarded the older revisions. Their database files keep their sizes. Throws
// base::Error(kInvalid) for a revision that is not positive or is in the future, and the client's
// errors.
Compaction Compact(const SpaceDeps& deps, std::optional<std::int64_t> revision);

// A member and the sizes of its database in bytes.
struct Defragmented {
  std::string name;
  std::int64_t before = 0;
  std::int64_t after = 0;
};

// The result of an operation that frees space, or the result that a plan expects.
struct Freed {
  // The members in the order of defragmentation. A plan has no Defragmented::after.
  std::vector<Defragmented> members;
  std::optional<std::int64_t> compacted = {};  // the revision, if requested
  std::vector<std::string> cleared = {};       // members whose NOSPACE alarm was cleared
  // Members close to their quota, after the alarms were cleared.
  std::vector<std::string> nearly_full = {};
  bool planned = false;  // true for the result that a plan expects
};

// A planned operation.
struct SpacePlan {
  std::vector<etcd::Member> order;  // the members to defragment
  Freed expected;                   // with the members in the same order
  bool clears_alarm = false;
};

// Plans the defragmentation of the members with these names or ids. If `names` is empty, plans it
// for all members. They keep the order of the member list, but the leader is last. Throws
// base::Error: kNotFound for a name or id that no member has, kUnavailable, naming the member, if
// one does not answer.
SpacePlan PlanDefragmentation(etcd::Client& client, const std::vector<std::string>& names);

// Plans the end of a NOSPACE alarm: compacts etcd to the present revision, defragments all members,
// clears the alarms and verifies a write. Throws base::Error: kNotFound without such an alarm,
// kConflict if a member does not answer.
SpacePlan PlanReclaim(etcd::Client& client);

// Returns the operation of a plan. It keeps no journal, because an interrupted operation can be
// repeated. Its steps use `deps` except for its `say`, and store the result in `freed`; both must
// outlive the operation.
//
// A member is defragmented only if the other members form a majority without it. The next member
// follows when the defragmented member serves again. The steps throw base::Error, naming the
// member: kConflict if etcd would lose its majority, kUnavailable if a member does not answer,
// kTimeout if a member does not serve again. They throw kConflict if a database would still fill
// its quota; the alarm then stays. They also throw the errors of Compact and of the client. After
// an error, the remaining members stay unchanged.
engine::Operation SpaceOperation(const SpacePlan& plan, const SpaceDeps& deps, Freed& freed);

// Throws base::Error(kConflict) if an upgrade of this node was interrupted, because the next run of
// the upgrade restarts etcd or restores etcd's data.
void RequireNoUpgrade(const host::Files& files);

// Format the output of `etcd compact` and `etcd defrag`.
std::string TextOf(const Compaction& compaction);
json::Value ObjectOf(const Compaction& compaction);
std::string TextOf(const SpacePlan& plan);
std::string TextOf(const Freed& freed);
json::Value ObjectOf(const Freed& freed);

}  // namespace etcd_maintenance
