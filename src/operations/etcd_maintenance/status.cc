// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/status.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "backup/create.h"
#include "base/error.h"
#include "base/strings.h"
#include "etcd/alarms.h"
#include "etcd/answers.h"
#include "print/text_table.h"

namespace etcd_maintenance {
namespace {

using base::Error;

constexpr const char* kUnknown = "-";  // a cell of a table
constexpr const char* kVersion = "output.slipway/v1alpha1";

bool IsLeader(const MemberState& row) {
  return row.status && row.status->leader_id == row.member.id;
}

const char* RoleOf(const MemberState& row) {
  if (row.member.learner) {
    return "learner";
  }
  return IsLeader(row) ? "leader" : "voter";
}

// Sorts the rows by name, because etcd sorts its members by id. Members without a name, which have
// never started, come last.
template <typename Row, typename Name>
void SortByName(std::vector<Row>& rows, Name name) {
  std::ranges::stable_sort(rows, {},
                           [&](const Row& row) { return std::pair(name(row).empty(), name(row)); });
}

std::string SizeCell(std::int64_t bytes) {
  return bytes <= 0 ? kUnknown : backup::SizeText(static_cast<std::uint64_t>(bytes));
}

std::vector<std::string> Row(const MemberState& row) {
  std::vector<std::string> cells = {etcd::NameOf(row.member), etcd::HexId(row.member.id),
                                    RoleOf(row), row.problem.empty() ? "yes" : "NO"};
  if (!row.status) {
    cells.insert(cells.end(), 7, kUnknown);
    return cells;
  }
  const etcd::MemberStatus& status = *row.status;
  cells.insert(cells.end(),
               {status.version, SizeCell(status.db_size), SizeCell(status.db_size_in_use),
                SizeCell(status.db_quota), std::to_string(status.revision), std::to_string(row.lag),
                row.alarms.empty() ? "none" : base::Join(row.alarms, ",")});
  return cells;
}

std::size_t CountVoters(const ClusterState& state, bool healthy) {
  return static_cast<std::size_t>(std::ranges::count_if(state.members, [&](const MemberState& row) {
    return !row.member.learner && (!healthy || row.problem.empty());
  }));
}

bool HasSpaceAlarm(const ClusterState& state) {
  return std::ranges::any_of(state.members, [](const MemberState& row) {
    return std::ranges::contains(row.alarms, etcd::kNoSpace);
  });
}

// Returns the commands that help in this state, one per line.
std::string Remedies(const ClusterState& state) {
  std::string text;
  if (!state.quorum) {
    text +=
        "etcd has no majority and takes no writes. Start the members that are down. If they are "
        "lost: 'kubeadm etcd recover' on the node of a member that is left\n";
    return text;
  }
  if (HasSpaceAlarm(state)) {
    text += "etcd takes no writes: free space with 'kubeadm etcd defrag --clear-alarm'\n";
  }
  for (const MemberState& row : state.members) {
    if (!row.status && row.member.started()) {
      text += fmt::format("If member {0} is lost: 'kubeadm etcd remove {0}'\n",
                          etcd::NameOf(row.member));
    }
  }
  return text;
}

json::Value OrNull(const std::optional<etcd::MemberStatus>& status, json::Value value) {
  return status ? std::move(value) : json::Value();
}

json::Value MemberObject(const etcd::Member& member) {
  return {{"id", etcd::HexId(member.id)}, {"name", member.name},
          {"peerURLs", member.peer_urls}, {"clientURLs", member.client_urls},
          {"learner", member.learner},    {"started", member.started()}};
}

json::Value StateObject(const MemberState& row) {
  const etcd::MemberStatus status = row.status.value_or(etcd::MemberStatus());
  json::Value object = MemberObject(row.member);
  object["healthy"] = row.problem.empty();
  object["problem"] = row.problem;
  object["leader"] = IsLeader(row);
  object["alarms"] = row.alarms;
  object["version"] = OrNull(row.status, status.version);
  object["dbSize"] = OrNull(row.status, status.db_size);
  object["dbSizeInUse"] = OrNull(row.status, status.db_size_in_use);
  object["dbSizeQuota"] = status.db_quota > 0 ? json::Value(status.db_quota) : json::Value();
  object["revision"] = OrNull(row.status, status.revision);
  object["revisionLag"] = OrNull(row.status, row.lag);
  return object;
}

// Returns the member's own problem. An alarm of another member is not a problem of this member.
std::string ProblemOf(const etcd::MemberHealth& each, const std::vector<std::string>& alarms) {
  if (!each.status || each.healthy()) {
    return each.problem.value_or("");
  }
  if (!alarms.empty()) {
    return fmt::format("has raised the alarm {}", base::Join(alarms, ","));
  }
  const bool reports_only_alarms = std::ranges::all_of(
      each.status->errors, [](const std::string& error) { return error.contains("alarm:"); });
  return each.status->leader_id != 0 && reports_only_alarms ? "" : *each.problem;
}

}  // namespace

bool ClusterState::IsHealthy() const {
  return quorum && std::ranges::all_of(members, [](const MemberState& row) {
           return row.problem.empty() && row.alarms.empty();
         });
}

ClusterState StateOf(const etcd::Health& health) {
  ClusterState state{
      .members = {}, .leader = {}, .quorum = etcd::IgnoringSpaceAlarms(health).HasQuorum()};
  const std::vector<etcd::Alarm> alarms = etcd::AlarmsIn(health);
  for (const etcd::MemberHealth& each : health.members) {
    MemberState row{.member = each.member, .status = each.status, .problem = {}, .alarms = {}};
    for (const etcd::Alarm& alarm : alarms) {
      if (alarm.member_id == each.member.id) {
        row.alarms.push_back(alarm.kind);
      }
    }
    row.problem = ProblemOf(each, row.alarms);
    if (each.status) {
      state.revision = std::max(state.revision, each.status->revision);
      state.cluster_id = each.status->cluster_id;
      if (IsLeader(row)) {
        state.leader = etcd::NameOf(each.member);
      }
    }
    state.members.push_back(std::move(row));
  }
  SortByName(state.members, [](const MemberState& row) { return row.member.name; });
  for (MemberState& row : state.members) {
    row.lag = row.status ? state.revision - row.status->revision : 0;
  }
  return state;
}

ClusterState CollectState(etcd::Client& client) { return StateOf(etcd::ClusterHealth(client)); }

std::string TextOf(const ClusterState& state) {
  std::vector<std::vector<std::string>> rows = {{"NAME", "ID", "ROLE", "HEALTHY", "VERSION", "SIZE",
                                                 "IN USE", "QUOTA", "REVISION", "LAG", "ALARMS"}};
  for (const MemberState& row : state.members) {
    rows.push_back(Row(row));
  }
  std::string text = print::TextTable(std::move(rows)) + "\n";
  text += fmt::format("{} of {} voting members are healthy, {}, leader: {}\n",
                      CountVoters(state, true), CountVoters(state, false),
                      state.quorum ? "etcd has its majority" : "etcd has NO majority",
                      state.leader.empty() ? "none" : state.leader);
  for (const MemberState& row : state.members) {
    if (!row.problem.empty()) {
      text += fmt::format("{}: {}\n", etcd::NameOf(row.member), row.problem);
    }
  }
  return text + Remedies(state);
}

json::Value ObjectOf(const ClusterState& state) {
  json::Value rows = json::Value::array();
  for (const MemberState& row : state.members) {
    rows.push_back(StateObject(row));
  }
  return {{"kind", "EtcdStatus"},
          {"apiVersion", kVersion},
          {"clusterID", state.cluster_id == 0 ? "" : etcd::HexId(state.cluster_id)},
          {"healthy", state.IsHealthy()},
          {"quorum", state.quorum},
          {"leader", state.leader},
          {"revision", state.revision},
          {"members", std::move(rows)}};
}

MemberList CollectMembers(etcd::Client& client) {
  MemberList list;
  try {
    list.members = client.Members();
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kUnavailable && error.kind() != Error::Kind::kTimeout) {
      throw;
    }
    list.members = client.Members(etcd::Reach::kMember);
  }
  SortByName(list.members, [](const etcd::Member& member) { return member.name; });
  return list;
}

std::string TextOf(const MemberList& list) {
  std::vector<std::vector<std::string>> rows = {
      {"NAME", "ID", "ROLE", "STARTED", "PEER URLS", "CLIENT URLS"}};
  for (const etcd::Member& member : list.members) {
    rows.push_back({member.started() ? member.name : kUnknown, etcd::HexId(member.id),
                    member.learner ? "learner" : "voter", member.started() ? "yes" : "NO",
                    base::Join(member.peer_urls, ","),
                    member.client_urls.empty() ? kUnknown : base::Join(member.client_urls, ",")});
  }
  return print::TextTable(std::move(rows));
}

json::Value ObjectOf(const MemberList& list) {
  json::Value rows = json::Value::array();
  for (const etcd::Member& member : list.members) {
    rows.push_back(MemberObject(member));
  }
  return {{"kind", "EtcdMemberList"}, {"apiVersion", kVersion}, {"members", std::move(rows)}};
}

const etcd::Member& RequireMember(const std::vector<etcd::Member>& members,
                                  const std::string& name_or_id) {
  std::vector<std::string> names;
  for (const etcd::Member& member : members) {
    if (member.name == name_or_id || etcd::HexId(member.id) == name_or_id) {
      return member;
    }
    names.push_back(fmt::format("{} ({})", etcd::NameOf(member), etcd::HexId(member.id)));
  }
  throw Error(Error::Kind::kNotFound,
              fmt::format("etcd has no member {}; it has {}", base::Quoted(name_or_id),
                          base::Join(names, ", ")));
}

}  // namespace etcd_maintenance
