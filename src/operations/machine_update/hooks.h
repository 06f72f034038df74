// SPDX-License-Identifier: Apache-2.0
// The runtime hooks of Cluster API by which Machines are updated in place: Discovery,
// CanUpdateMachine, CanUpdateMachineSet and UpdateMachine, in version v1alpha1.
// Source: api/runtime/hooks/v1alpha1 of Cluster API v1.14.
#pragma once

#include <cstddef>
#include <string>

#include "http/server.h"
#include "json/fwd.h"
#include "machine_update/updater.h"

namespace machine_update {

// The size limit of a request, in bytes. The largest objects in a request are two KubeadmConfigs,
// each of at most 1.5 MiB (the limit of etcd).
inline constexpr std::size_t kLargestHookBody = std::size_t{4} << 20;

// Answers requests of Cluster API. Thread-safe. The updater must outlive it.
class HookEndpoint {
 public:
  explicit HookEndpoint(const Updater& updater) : updater_(updater) {}

  // Returns status 200 with the hook's response. A response has status Failure if the hook could
  // not be carried out. Returns 400 for a body that is not the hook's request, 404 for an unknown
  // path, and 405 for GET. Returns "ok" for /healthz and /readyz.
  http::ServerReply Answer(const http::ServerRequest& request) const;

 private:
  json::Value CanUpdateMachine(const json::Value& request) const;
  json::Value CanUpdateMachineSet(const json::Value& request) const;
  json::Value UpdateMachine(const json::Value& request) const;

  const Updater& updater_;
};

}  // namespace machine_update
