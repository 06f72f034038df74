// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/leave.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <utility>
#include <vector>

#include "base/error.h"
#include "etcd/answers.h"
#include "objects/etcd_endpoints.h"

namespace etcd_membership {
namespace {

using Kind = base::Error::Kind;

// The results of queries for the list of members.
struct Asked {
  std::vector<std::string> endpoints;  // of all members, if one has answered
  std::vector<std::string> problems;
  bool may_answer_later = false;
};

Asked AskForMembers(const std::vector<std::string>& known, const etcd::Connection& pair) {
  Asked asked;
  for (const std::string& endpoint : known) {
    etcd::Connection one = pair;
    one.endpoints = {endpoint};
    try {
      asked.endpoints = MemberEndpoints(etcd::Connect(one)->Members(etcd::Reach::kMember));
      if (!asked.endpoints.empty()) {
        return asked;
      }
      asked.problems.push_back(fmt::format("etcd at {} knows of no member that serves", endpoint));
    } catch (const base::Error& error) {
      const bool away = error.kind() == Kind::kUnavailable || error.kind() == Kind::kTimeout;
      asked.may_answer_later |= away && !etcd::NothingListens(error.message());
      asked.problems.push_back(error.message());
    }
  }
  return asked;
}

// Returns the client URLs of all members, according to a member that answers. Stops waiting for an
// answer after half of the time limit, as etcd::RemoveMember does.
std::vector<std::string> EndpointsByMembers(const Leaving& leaving, const etcd::Connection& pair,
                                            const LeaveNotes& notes) {
  const std::vector<std::string> known = KnownEndpoints(leaving.local);
  const auto verdict = leaving.waiting.now() + leaving.waiting.limit / 2;
  std::vector<std::string> endpoints;
  etcd::WaitFor(
      "no member of etcd has answered", leaving.waiting,
      [&]() -> std::optional<std::string> {
        Asked asked = AskForMembers(known, pair);
        endpoints = std::move(asked.endpoints);
        if (!endpoints.empty()) {
          return std::nullopt;
        }
        std::string problems = fmt::format("{}", fmt::join(asked.problems, "; "));
        if (asked.may_answer_later && leaving.waiting.now() < verdict) {
          return problems;
        }
        throw base::Error(Kind::kNotFound, std::move(problems));
      },
      notes.waiting);
  return endpoints;
}

std::vector<std::string> Endpoints(const Leaving& leaving, const etcd::Connection& pair,
                                   const LeaveNotes& notes) {
  if (leaving.cluster != nullptr) {
    try {
      if (auto endpoints = objects::EtcdEndpoints(*leaving.cluster); !endpoints.empty()) {
        return endpoints;
      }
    } catch (const base::Error& error) {
      notes.warn(error.message() + "; asking this node's etcd member instead");
    }
  }
  return EndpointsByMembers(leaving, pair, notes);
}

etcd::Removal LeaveByAnyone(const Leaving& leaving, const LeaveNotes& notes) {
  const fs::path& told = leaving.local.certificates_dir;
  etcd::Connection connection =
      ReadClientPair(leaving.files, told.empty() ? leaving.certificates_dir : told);
  connection.stop = leaving.stop;
  connection.endpoints = OwnLast(Endpoints(leaving, connection, notes), leaving.local.client_url);
  const auto client = etcd::Connect(connection);
  return etcd::RemoveMember(*client, {.peer_url = leaving.local.peer_url, .forced = leaving.forced},
                            leaving.waiting, notes.waiting);
}

}  // namespace

etcd::Removal Leave(const Leaving& leaving, const LeaveNotes& notes) {
  try {
    return LeaveByAnyone(leaving, notes);
  } catch (const base::Error& error) {
    // After a timeout, at least the members that have answered do not need this member.
    const bool judged = error.kind() == Kind::kConflict || error.kind() == Kind::kTimeout;
    if (judged || leaving.local.other_peers.empty()) {
      throw;
    }
    throw base::Error(
        Kind::kConflict,
        fmt::format("{}; by its manifest etcd has other members ({}), which may need this one's "
                    "data for their majority",
                    error.message(), fmt::join(leaving.local.other_peers, ", ")));
  }
}

}  // namespace etcd_membership
