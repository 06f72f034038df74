// SPDX-License-Identifier: Apache-2.0
// Alarms of an etcd cluster's members (https://etcd.io/docs/v3.6/op-guide/maintenance/).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "etcd/client.h"
#include "etcd/health.h"

namespace etcd {

// The alarm of a used-up quota: the member accepts no more writes.
inline constexpr std::string_view kNoSpace = "NOSPACE";

// An alarm and the member that raised it.
struct Alarm {
  std::uint64_t member_id = 0;
  std::string kind;  // "NOSPACE" or "CORRUPT"
  bool operator==(const Alarm&) const = default;
};

// Returns the alarms in a member's status, each once. Each member reports the alarms of all
// members.
std::vector<Alarm> AlarmsIn(const MemberStatus& status);

// Returns the alarms that any member reports, each once.
std::vector<Alarm> AlarmsIn(const Health& health);

// Returns `health` with one change: a member that only reports NOSPACE alarms and knows a leader
// counts as healthy. Such a member serves reads, and counts towards the majority.
Health IgnoringSpaceAlarms(Health health);

}  // namespace etcd
