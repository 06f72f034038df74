// SPDX-License-Identifier: Apache-2.0
// The connection of this control-plane node to its cluster's etcd, stacked or external.
#pragma once

#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "etcd/client.h"
#include "etcd/waiting.h"
#include "etcd_membership/local_etcd.h"
#include "host/host.h"

namespace etcd_maintenance {

// A client of etcd, and the facts about this node's member.
struct Access {
  std::unique_ptr<etcd::Client> client;
  std::optional<etcd_membership::LocalEtcd> local;  // std::nullopt: etcd is external
  // The timeouts of waits for members that restart or elect a leader.
  etcd::Waiting waiting;
};

// Dependencies of Connect. The host must outlive the access.
struct AccessRequest {
  host::Host& host;
  // From the user; empty: the endpoints that this node knows.
  std::vector<std::string> endpoints = {};
  std::stop_token stop = {};
};

// Connects with the API server's credentials. Starts from the endpoints that the user gave, or else
// from the endpoints in the manifests of the API server and etcd. Adds the endpoints of all
// members, according to the first member that answers. Throws base::Error: kNotFound without an API
// server on this node, kInvalid for a malformed endpoint, and the errors of host::Files::Read. Does
// not throw if the cluster does not answer.
Access Connect(const AccessRequest& request);

}  // namespace etcd_maintenance
