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

// The sources of facts; unset ones are the real ones.
struct DoctorSources {
  host::Host& host;
  config::Facts config_facts;               // for the Pods of the configuration
  std::function<std::string()> cri_socket;  // of this node; may throw base::Error
  std::function<std::unique_ptr<cri::Runtime>(const std::string& endpoint)> connect_runtime =
      [](const std::string& endpoint) { return cri::Connect(endpoint, std::chrono::seconds(2)); };
  std::function<std::unique_ptr<etcd::Client>(etcd::Connection)> connect_etcd = etcd::Connect;
};

struct CollectOptions {
  std::string kubeconfig;  // for queries of the cluster; "": the best of this node's own
  std::chrono::milliseconds limit{9'000};  // by the host's clock
};

// Collects the facts. Never throws: a failed query is recorded as a fact. Queries without an answer
// within the limit are stopped, and have ended when Gather returns. Requests and child processes
// end immediately. A call of the container runtime or of etcd ends at its own deadline, after 2 s
// at most.
Facts Collect(const DoctorSources& sources, const CollectOptions& options);

// Returns this machine's role, by kubeadm's files.
Role RoleOf(const host::Files& files);

}  // namespace doctor
