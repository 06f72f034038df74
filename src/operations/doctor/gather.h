// SPDX-License-Identifier: Apache-2.0
// Gathering the doctor's facts: everything is asked at the same time, and nothing for longer than
// the time allowed. Nothing is changed.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "config/facts.h"
#include "cri/runtime.h"
#include "doctor/facts.h"
#include "etcd/client.h"
#include "host/disk_space.h"
#include "host/host.h"
#include "http/client.h"
#include "kube/connection.h"

namespace doctor {

// Sources are what facts come from; what is not set is the real thing. They outlive the process's
// last question: one that does not answer in time is not waited for.
struct Sources {
  host::Host& host;
  config::Facts config_facts;               // for rendering what the configuration means
  std::function<std::string()> cri_socket;  // of this node; may throw base::Error
  std::function<std::unique_ptr<cri::Runtime>(const std::string& endpoint)> connect_runtime =
      [](const std::string& endpoint) { return cri::Connect(endpoint, std::chrono::seconds(2)); };
  std::function<std::optional<host::DiskSpace>(const std::string& path)> disk_space =
      host::DiskSpaceOf;
  std::function<std::unique_ptr<etcd::Client>(etcd::Connection)> connect_etcd = etcd::Connect;
};

struct Options {
  std::string kubeconfig;  // asks the cluster; "": the best of this node's own
  std::chrono::milliseconds limit{9'000};
};

// Gather never throws: what cannot be found out is a fact, too.
Facts Gather(const Sources& sources, const Options& options);

// RoleOf follows from the files that kubeadm leaves.
Role RoleOf(const host::Files& files);

}  // namespace doctor
