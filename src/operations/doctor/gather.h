// SPDX-License-Identifier: Apache-2.0
// Collection of the doctor's facts: all queries run concurrently, and are stopped after the limit.
// Read-only.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "config/facts.h"
#include "cri/runtime.h"
#include "doctor/facts.h"
#include "etcd/client.h"
#include "host/host.h"
#include "http/client.h"
#include "kube/connection.h"

namespace doctor {

// The sources of facts. If a source is not set, the real one is used.
struct DoctorSources {
  host::Host& host;
  config::Facts config_facts;  // for the Pods of the configuration
  // Returns the socket of this node's container runtime. May throw the errors of cri::Connect.
  std::function<std::string()> cri_socket;
  std::function<std::unique_ptr<cri::Runtime>(const std::string& endpoint)> connect_runtime =
      [](const std::string& endpoint) { return cri::Connect(endpoint, std::chrono::seconds(2)); };
  std::function<std::unique_ptr<etcd::Client>(etcd::Connection)> connect_etcd = etcd::Connect;
};

struct CollectOptions {
  // The kubeconfig file for queries of the cluster. "" chooses the best file on this node.
  std::string kubeconfig;
  std::chrono::milliseconds limit{9'000};  // by the host's clock
};

// Collects the facts. Never throws: a failed query is recorded as a fact. Stops queries without an
// answer at the limit, and waits until they have ended. Requests and child processes end
// immediately. A call of the container runtime or of etcd ends at its own deadline, after 2 s at
// most.
Facts Collect(const DoctorSources& sources, const CollectOptions& options);

// Returns this machine's role, according to kubeadm's files.
Role RoleOf(const host::Files& files);

}  // namespace doctor
