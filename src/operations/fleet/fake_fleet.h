// SPDX-License-Identifier: Apache-2.0
// Operations and nodes for tests.
#pragma once

#include <string>
#include <vector>

#include "fleet/cluster_operation.h"
#include "fleet/facts.h"
#include "json/value.h"
#include "objects/fake_mirror_pod.h"

namespace fleet {

inline json::Value FakeOperation(json::Value spec) {
  return {{"apiVersion", "operations.slipway/v1alpha1"},
          {"kind", "ClusterOperation"},
          {"metadata", {{"name", "spring"}}},
          {"spec", std::move(spec)}};
}

inline ClusterOperation FakeUpgrade() {
  return ParseOperation(FakeOperation({{"upgrade", {{"version", "v1.37.2"}}}}));
}

inline ClusterOperation FakeRenewal() {
  return ParseOperation(FakeOperation({{"renewCertificates", json::Value::object()}}));
}

inline ClusterOperation FakeConfig(const std::vector<std::string>& set) {
  return ParseOperation(FakeOperation({{"configApply", {{"set", set}}}}));
}

inline ClusterOperation FakeReboot() {
  return ParseOperation(FakeOperation({{"reboot", json::Value::object()}}));
}

inline ClusterOperation FakeRecovery() {
  return ParseOperation(FakeOperation({{"recover", {{"tokenSecret", "token"}}}}));
}

inline ClusterOperation FakeRotation(const std::string& authority) {
  return ParseOperation(FakeOperation({{"rotateCA", {{"authority", authority}}}}));
}

inline ClusterOperation FakeBackup() {
  return ParseOperation(FakeOperation({{"backup",
                                        {{"destination", "s3://b/"},
                                         {"recipients", {"age1a", "age1b"}},
                                         {"credentialsSecret", "keys"}}}}));
}

inline FleetNode FakeControlPlane(const std::string& name) {
  return {
      .name = name, .control_plane = true, .ready = true, .task = {}, .since = {}, .labels = {}};
}

inline FleetNode FakeWorker(const std::string& name) {
  return {.name = name, .ready = true, .task = {}, .since = {}, .labels = {}};
}

// Returns a Ready Node of the API.
inline json::Value FakeReadyNode(const std::string& name, bool control_plane) {
  json::Value node = control_plane ? objects::FakeControlPlaneNode(name) : objects::FakeNode(name);
  node["status"]["conditions"] = json::Value::array({{{"type", "Ready"}, {"status", "True"}}});
  return node;
}

// Returns a Pod of the API, with a controller of the kind `controller`. If `controller` is "", the
// Pod has no controller.
inline json::Value FakePod(const std::string& name, const std::string& node,
                           const std::string& controller = "ReplicaSet") {
  json::Value pod = {{"metadata", {{"name", name}, {"namespace", "default"}, {"uid", "u-" + name}}},
                     {"spec", {{"nodeName", node}}}};
  if (!controller.empty()) {
    pod["metadata"]["ownerReferences"] =
        json::Value::array({{{"kind", controller}, {"name", "x"}, {"controller", true}}});
  }
  return pod;
}

}  // namespace fleet
