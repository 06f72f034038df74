// SPDX-License-Identifier: Apache-2.0
// Gathering the doctor's facts: everything is asked at the same time, and told to stop when the
// time is over. Nothing is changed.
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

// Sources are what facts come from; what is not set is the real thing.
struct Sources {
  host::Host& host;
  config::Facts config_facts;               // for rendering what the configuration means
  std::function<std::string()> cri_socket;  // of this node; may throw base::Error
  std::function<std::unique_ptr<cri::Runtime>(const std::string& endpoint)> connect_runtime =
      [](const std::string& endpoint) { return cri::Connect(endpoint, std::chrono::seconds(2)); };
  std::function<std::unique_ptr<etcd::Client>(etcd::Connection)> connect_etcd = etcd::Connect;
};

struct Options {
  std::string kubeconfig;                  // asks the cluster; "": the best of this node's own
  std::chrono::milliseconds limit{9'000};  // by the host's clock
};

// Gather never throws: what cannot be found out is a fact, too. Whoever has not answered within the
// limit is asked to stop, and has done so when Gather returns: requests and child processes end at
// once, a call of the container runtime or of etcd at its own deadline of 2 s at most.
Facts Gather(const Sources& sources, const Options& options);

// RoleOf follows from the files that kubeadm leaves.
Role RoleOf(const host::Files& files);

}  // namespace doctor
