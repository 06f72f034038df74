// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/access.h"

#include <algorithm>
#include <chrono>

#include "backup/collect.h"
#include "base/error.h"
#include "base/log.h"
#include "etcd_membership/join.h"

namespace etcd_maintenance {
namespace {

// The time for a member to elect a leader, or to open its database after a defragmentation.
constexpr std::chrono::seconds kMemberLimit{60};

void AddNew(std::vector<std::string>& endpoints, const std::vector<std::string>& more) {
  for (const std::string& each : more) {
    if (!each.empty() && !std::ranges::contains(endpoints, each)) {
      endpoints.push_back(each);
    }
  }
}

// Adds the members that the first answering endpoint lists.
void AddMembers(etcd::Connection& connection) {
  try {
    AddNew(connection.endpoints, etcd_membership::MemberEndpoints(
                                     etcd::Connect(connection)->Members(etcd::Reach::kMember)));
  } catch (const base::Error& error) {
    if (error.kind() == base::Error::Kind::kInvalid) {
      throw;
    }
    base::LogInfo(1, "no endpoint of etcd lists its members: {}", error.message());
  }
}

}  // namespace

Access Connect(const AccessRequest& request) {
  const host::Files& files = request.host.files;
  Access access{
      .client = nullptr,
      .local = etcd_membership::FindEtcd(files).local,
      .waiting = etcd_membership::WaitingOn(request.host.clock, kMemberLimit, request.stop)};
  etcd::Connection connection = backup::ReadEtcdConnection(files);
  connection.stop = request.stop;
  if (!request.endpoints.empty()) {
    connection.endpoints = request.endpoints;
  } else if (access.local) {
    AddNew(connection.endpoints, etcd_membership::KnownEndpoints(*access.local));
  }
  AddMembers(connection);
  access.client = etcd::Connect(std::move(connection));
  return access;
}

}  // namespace etcd_maintenance
