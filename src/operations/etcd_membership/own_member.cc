// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/own_member.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/number.h"
#include "config/paths.h"
#include "etcd/quorum.h"
#include "etcd_membership/local_etcd.h"
#include "net/url.h"

namespace etcd_membership {
namespace {

using Kind = base::Error::Kind;

std::optional<LocalEtcd> OwnMember(const host::Files& files) {
  std::optional<LocalEtcd> local = FindEtcd(files).local;
  return local && !local->client_url.empty() ? std::move(local) : std::nullopt;
}

etcd::Connection ConnectionTo(const LocalEtcd& local, const host::Files& files,
                              const host::fs::path& certificates_dir, const std::stop_token& stop) {
  const host::fs::path& told = local.certificates_dir;
  etcd::Connection connection = ReadClientPair(files, told.empty() ? certificates_dir : told);
  connection.endpoints = {local.client_url};
  connection.stop = stop;
  return connection;
}

std::optional<std::string> ProblemOf(etcd::Step step, const LocalEtcd& local,
                                     etcd::Connection connection) {
  const etcd::Health health = etcd::ClusterHealth(*etcd::Connect(std::move(connection)));
  const etcd::MemberHealth* own = health.At(local.peer_url);
  return own == nullptr ? std::nullopt : etcd::QuorumProblem(health, step, own->member.id);
}

// Listens is whether anybody does on the port of the member's clients.
bool Listens(const LocalEtcd& local, const host::Network& network) {
  const auto url = net::Url::Parse(local.client_url);
  const int port =
      url ? base::ParsePort(url->port).value_or(config::kEtcdClientPort) : config::kEtcdClientPort;
  return network.PortProblem("", static_cast<std::uint16_t>(port)).has_value();
}

}  // namespace

std::optional<std::string> RestartProblem(const host::Files& files,
                                          const host::fs::path& certificates_dir,
                                          const std::stop_token& stop) {
  const std::optional<LocalEtcd> local = OwnMember(files);
  if (!local) {
    return std::nullopt;
  }
  etcd::Connection connection = ConnectionTo(*local, files, certificates_dir, stop);
  try {
    return ProblemOf(etcd::Step::kRestart, *local, std::move(connection));
  } catch (const base::Error& error) {
    if (error.kind() == Kind::kCancelled) {
      throw;
    }
    return std::nullopt;
  }
}

std::optional<std::string> LossProblem(host::Host& host, const host::fs::path& certificates_dir,
                                       const std::stop_token& stop) {
  const std::optional<LocalEtcd> local = OwnMember(host.files);
  if (!local) {
    return std::nullopt;
  }
  try {
    return ProblemOf(etcd::Step::kLose, *local,
                     ConnectionTo(*local, host.files, certificates_dir, stop));
  } catch (const base::Error& error) {
    if (error.kind() == Kind::kCancelled) {
      throw;
    }
    return Listens(*local, host.network)
               ? std::optional(fmt::format("it runs, and cannot be asked whether etcd can do "
                                           "without it: {}",
                                           error.message()))
               : std::nullopt;
  }
}

}  // namespace etcd_membership
