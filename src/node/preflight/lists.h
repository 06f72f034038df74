// SPDX-License-Identifier: Apache-2.0
// The checks of a node, each with its occasions. checks.cc orders the checks, and selects those of
// an occasion. Internal to this library.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "checks/check.h"
#include "host/init_system.h"
#include "preflight/checks.h"

namespace preflight {

using checks::Check;
using Checks = std::vector<checks::Check>;
using Stop = const std::stop_token&;

// The command's information about the node. Each check copies what it needs from this struct, but
// refers to the host, which must outlive the checks.
struct Input {
  const Sources& sources;
  config::NodeRegistration node = {};
  std::string kubernetes_version = {};  // "" when it is not known
  // The version to which the control plane, and later the kubelet, is upgraded.
  std::string upgraded_to = {};
  // The cluster's configuration with this node's endpoint. Only `init` and the join of a
  // control-plane node set it.
  std::optional<config::Init> init = {};
  std::optional<config::JoinConfiguration> join = {};
  Certificates certificates = Certificates::kOnDisk;
};

Checks ControlPlaneChecks(const Input& input);
Checks NodeChecks(const Input& input);
Checks EtcdChecks(const Input& input);
// Judges combinations of the configuration's fields.
Checks ConfigChecks(host::Host& host, const config::Init& init);

// EtcdKeyChecks refuses ML-DSA keys for the certificates of a local etcd. KeyChecks refuses CAs and
// token keys of a user with ML-DSA. Both return an empty list if there is nothing to refuse.
// Neither is used for `join`, because a joining node gets the CAs of a running cluster.
Checks EtcdKeyChecks(const host::Files& files, const config::ClusterConfiguration& cluster);
Checks KeyChecks(const host::Files& files, const config::ClusterConfiguration& cluster);
// Returns whether the API server accepts certificate signing requests for ML-DSA keys.
bool AcceptsMlDsaRequests(const config::ClusterConfiguration& cluster);

// Occasions of the checks of every new node, and of those of a new control plane.
inline constexpr unsigned kNewNode = checks::kBeforeInit | checks::kBeforeJoin;
inline constexpr unsigned kNewControlPlane = checks::kBeforeInit | checks::kBeforeControlPlaneJoin;

// Checks that several commands share. `address` is a component's bind address, "" for all
// addresses; `server` is the name or address of an API server.
Check PortCheck(unsigned when, host::Host& host, const std::string& address, int port);
Check FileAvailableCheck(unsigned when, host::Host& host, const std::string& path);
Check ProxyCheck(unsigned when, host::Host& host, const std::string& server);

// Judges the facts of the service manager. Warns if the host has no service manager.
checks::Findings JudgeByInitSystem(host::Host& host,
                                   const std::function<checks::Findings(host::InitSystem&)>& judge);

// Queries the version of every endpoint, all concurrently, with the certificates of the
// configuration. If an endpoint does not answer, or answers with a server error, retries three
// times, every 5 s.
checks::Findings CheckExternalEtcd(host::Host& host, const config::ExternalEtcd& etcd,
                                   std::stop_token stop = {});

// Returns the networks of a "CIDR[,CIDR]" field.
std::vector<std::string> Cidrs(const std::string& field);
std::vector<std::string> AllCidrs(const config::Networking& networking);

// Returns the API server's advertised address.
std::string AdvertiseAddress(const config::Init& init);

}  // namespace preflight
