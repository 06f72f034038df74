// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/own_member.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/number.h"
#include "config/defaults.h"
#include "config/paths.h"
#include "etcd/comeback.h"
#include "etcd_membership/join.h"
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

std::optional<std::string> LossProblemOf(const LocalEtcd& local, etcd::Connection connection) {
  const etcd::Health health = etcd::ClusterHealth(*etcd::Connect(std::move(connection)));
  const etcd::MemberHealth* own = health.At(local.peer_url);
  return own == nullptr ? std::nullopt
                        : etcd::QuorumProblem(health, etcd::Step::kLose, own->member.id);
}

// Returns the health of etcd. Returns an empty health if it cannot be determined.
etcd::Health HealthOrNone(const etcd::Connection& connection) {
  try {
    return etcd::ClusterHealth(*etcd::Connect(connection));
  } catch (const base::Error&) {
    return {};
  }
}

std::chrono::milliseconds LimitOf(const RestartAsked& asked) {
  return asked.limit.value_or(std::chrono::duration_cast<std::chrono::milliseconds>(
      config::TimeoutOf(asked.config.init.timeouts, &config::Timeouts::etcd_api_call)));
}

// Returns whether a process listens on the port of the member's clients.
bool Listens(const LocalEtcd& local, const host::Network& network) {
  const auto url = net::Url::Parse(local.client_url);
  const int port =
      url ? base::ParsePort(url->port).value_or(config::kEtcdClientPort) : config::kEtcdClientPort;
  return network.PortProblem("", static_cast<std::uint16_t>(port)).has_value();
}

}  // namespace

std::optional<std::string> RestartProblem(const RestartAsked& asked) {
  const host::Files& files = asked.host.files;
  const std::optional<LocalEtcd> local = OwnMember(files);
  if (!local) {
    return std::nullopt;
  }
  const etcd::Connection connection = ConnectionTo(
      *local, files, fs::path(asked.config.cluster.certificates_dir) / "etcd", asked.stop);
  return etcd::LastingProblem(
      {.step = etcd::Step::kRestart,
       .health = [&] { return HealthOrNone(connection); },
       .member = [&](const etcd::Health& health) { return health.At(local->peer_url); }},
      WaitingOn(asked.host.clock, LimitOf(asked), asked.stop), asked.say);
}

std::optional<std::string> LossProblem(host::Host& host, const host::fs::path& certificates_dir,
                                       const std::stop_token& stop) {
  const std::optional<LocalEtcd> local = OwnMember(host.files);
  if (!local) {
    return std::nullopt;
  }
  try {
    return LossProblemOf(*local, ConnectionTo(*local, host.files, certificates_dir, stop));
  } catch (const base::Error& error) {
    return Listens(*local, host.network)
               ? std::optional(fmt::format("it runs, and it is unknown whether etcd can do without "
                                           "it: {}",
                                           error.message()))
               : std::nullopt;
  }
}

}  // namespace etcd_membership
