// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/leave.h"

#include <utility>
#include <vector>

#include "base/error.h"
#include "etcd_endpoints/etcd_endpoints.h"

namespace etcd_membership {
namespace {

std::vector<std::string> Endpoints(const Leaving& leaving, const etcd::Connection& pair,
                                   const LeaveNotes& notes) {
  if (leaving.cluster != nullptr) {
    try {
      if (auto endpoints = etcd_endpoints::EtcdEndpoints(*leaving.cluster); !endpoints.empty()) {
        return endpoints;
      }
    } catch (const base::Error& error) {
      notes.warn(error.message() + "; asking this node's etcd member instead");
    }
  }
  etcd::Connection own = pair;
  own.endpoints = {leaving.local.client_url};
  return MemberEndpoints(etcd::Connect(own)->Members(etcd::Reach::kMember));
}

}  // namespace

etcd::Removal Leave(const Leaving& leaving, const LeaveNotes& notes) {
  const fs::path& told = leaving.local.certificates_dir;
  etcd::Connection connection =
      ReadClientPair(leaving.files, told.empty() ? leaving.certificates_dir : told);
  connection.stop = leaving.stop;
  connection.endpoints = OwnLast(Endpoints(leaving, connection, notes), leaving.local.client_url);
  const auto client = etcd::Connect(connection);
  return etcd::RemoveMember(*client, leaving.local.peer_url, leaving.waiting, notes.waiting);
}

}  // namespace etcd_membership
