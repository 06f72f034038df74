// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/restart.h"

#include <algorithm>

#include "base/error.h"
#include "etcd/quorum.h"
#include "etcd_membership/local_etcd.h"

namespace etcd_membership {
namespace {

std::optional<etcd::Health> HealthOf(etcd::Connection connection) {
  try {
    return etcd::ClusterHealth(*etcd::Connect(std::move(connection)));
  } catch (const base::Error& error) {
    if (error.kind() == base::Error::Kind::kCancelled) {
      throw;
    }
    return std::nullopt;
  }
}

}  // namespace

std::optional<std::string> RestartProblem(const host::Files& files,
                                          const host::fs::path& certificates_dir,
                                          const std::stop_token& stop) {
  const std::optional<LocalEtcd> local = FindEtcd(files).local;
  if (!local || local->client_url.empty()) {
    return std::nullopt;
  }
  const host::fs::path& told = local->certificates_dir;
  etcd::Connection connection = ReadClientPair(files, told.empty() ? certificates_dir : told);
  connection.endpoints = {local->client_url};
  connection.stop = stop;
  const std::optional<etcd::Health> health = HealthOf(std::move(connection));
  if (!health) {
    return std::nullopt;
  }
  const auto own = std::ranges::find_if(health->members, [&](const etcd::MemberHealth& each) {
    return std::ranges::contains(each.member.peer_urls, local->peer_url);
  });
  return own == health->members.end()
             ? std::nullopt
             : etcd::QuorumProblem(*health, etcd::Step::kRestart, own->member.id);
}

}  // namespace etcd_membership
