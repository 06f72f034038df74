// SPDX-License-Identifier: Apache-2.0
// The record of a change of the control-plane endpoint, and the annotations of the changed Nodes.
// The record exists until the change is finished.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client.h"

namespace endpoint {

// kRecordName is a ConfigMap in namespace kube-system. kMark is an annotation of Nodes, whose value
// is the endpoint in the files of the node.
inline constexpr std::string_view kRecordName = "kubeadm-endpoint";
inline constexpr std::string_view kMark = "endpoint.kubeadm.slipway/named";

// A change in progress.
struct ChangeRecord {
  std::string endpoint;            // new endpoint, "host:port"
  std::string previous;            // previous endpoint, "host:port"
  std::vector<std::string> names;  // hosts that certificates keep for old clients
  // The time since which joining nodes get the new endpoint. Not set before all control-plane nodes
  // serve the name of the new endpoint.
  std::optional<std::chrono::sys_seconds> switched = {};
  bool operator==(const ChangeRecord&) const = default;
};

// The progress of a node.
struct NodeEndpoint {
  std::string name;
  std::string mark;  // "": the node has not changed yet
  std::chrono::sys_seconds created;
};

// Reads the record; returns std::nullopt if it does not exist. Throws base::Error(kInvalid), naming
// the ConfigMap, if its content is malformed.
std::optional<ChangeRecord> FindRecord(kube::Client& client);
void PutRecord(kube::Client& client, const ChangeRecord& record);

// Removes the record if it exists. Throws base::Error(kConflict), without removing, if the record
// belongs to another change.
void RemoveRecord(kube::Client& client, const ChangeRecord& record);

// Returns the progress of all nodes in the cluster, from annotation kMark of their Nodes.
std::vector<NodeEndpoint> NodeStates(kube::Client& client);
std::string MarkOf(kube::Client& client, const std::string& node);
void SetMark(kube::Client& client, const std::string& node, const std::string& endpoint);

}  // namespace endpoint
