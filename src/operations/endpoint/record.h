// SPDX-License-Identifier: Apache-2.0
// The stored record of a change of the control-plane endpoint until it is finished, and the nodes'
// marks.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client.h"

namespace endpoint {

// kRecordName is a ConfigMap of kube-system; kMark an annotation of Nodes, whose value is the
// endpoint in the node's files.
inline constexpr std::string_view kRecordName = "kubeadm-endpoint";
inline constexpr std::string_view kMark = "endpoint.kubeadm.slipway/named";

// A change in progress.
struct Record {
  std::string endpoint;            // the new one, "host:port"
  std::string previous;            // the previous one of the nodes
  std::vector<std::string> names;  // hosts that certificates keep for remaining clients
  // The time since which new nodes get the new one; not set: control planes still have to serve its
  // name
  std::optional<std::chrono::sys_seconds> switched = {};
  bool operator==(const Record&) const = default;
};

// The progress of a node.
struct NodeState {
  std::string name;
  std::string mark;  // "": it does not have the new endpoint
  std::chrono::sys_seconds created;
};

// Throws base::Error(kInvalid), naming the ConfigMap, for other content.
std::optional<Record> FindRecord(kube::Client& client);
void PutRecord(kube::Client& client, const Record& record);

// Removes the record of this change, if it exists. Throws base::Error(kConflict), and leaves it, if
// the record is of another change.
void RemoveRecord(kube::Client& client, const Record& record);

// Returns the state of all nodes of the cluster. A mark is an annotation of a Node: the endpoint in
// its files.
std::vector<NodeState> NodeStates(kube::Client& client);
std::string MarkOf(kube::Client& client, const std::string& node);
void SetMark(kube::Client& client, const std::string& node, const std::string& endpoint);

}  // namespace endpoint
