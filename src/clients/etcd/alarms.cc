// SPDX-License-Identifier: Apache-2.0
#include "etcd/alarms.h"

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "base/strings.h"

namespace etcd {
namespace {

constexpr std::string_view kMember = "memberID:";
constexpr std::string_view kAlarm = "alarm:";

// Parses etcd's text of an alarm: "memberID:13803658152347727308 alarm:NOSPACE ".
std::optional<Alarm> ParseAlarm(std::string_view text) {
  Alarm alarm;
  for (const std::string& word : base::Fields(text)) {
    if (word.starts_with(kMember)) {
      alarm.member_id = base::ParseNumber<std::uint64_t>(word.substr(kMember.size())).value_or(0);
    } else if (word.starts_with(kAlarm)) {
      alarm.kind = word.substr(kAlarm.size());
    }
  }
  return alarm.kind.empty() ? std::nullopt : std::optional(alarm);
}

void AddTo(std::vector<Alarm>& alarms, const Alarm& alarm) {
  if (!std::ranges::contains(alarms, alarm)) {
    alarms.push_back(alarm);
  }
}

bool HasOnlySpaceAlarms(const MemberStatus& status) {
  return std::ranges::all_of(status.errors, [](const std::string& error) {
    const std::optional<Alarm> alarm = ParseAlarm(error);
    return alarm && alarm->kind == kNoSpace;
  });
}

}  // namespace

std::vector<Alarm> AlarmsIn(const MemberStatus& status) {
  std::vector<Alarm> alarms;
  for (const std::string& error : status.errors) {
    if (const std::optional<Alarm> alarm = ParseAlarm(error)) {
      AddTo(alarms, *alarm);
    }
  }
  return alarms;
}

std::vector<Alarm> AlarmsIn(const Health& health) {
  std::vector<Alarm> alarms;
  for (const MemberHealth& each : health.members) {
    for (const Alarm& alarm : each.status ? AlarmsIn(*each.status) : std::vector<Alarm>()) {
      AddTo(alarms, alarm);
    }
  }
  return alarms;
}

Health IgnoringSpaceAlarms(Health health) {
  for (MemberHealth& each : health.members) {
    if (each.status && each.status->leader_id != 0 && HasOnlySpaceAlarms(*each.status)) {
      each.problem.reset();
    }
  }
  return health;
}

}  // namespace etcd
