// SPDX-License-Identifier: Apache-2.0
// What the cluster knows of a change of its control-plane endpoint until that is finished, and
// which nodes have taken it over.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kube/client.h"

namespace endpoint {

// kRecordName is a ConfigMap of kube-system; kMark an annotation of Nodes, whose value is the
// endpoint that the node's files name.
inline constexpr std::string_view kRecordName = "kubeadm-endpoint";
inline constexpr std::string_view kMark = "endpoint.kubeadm.slipway/named";

// Record is a change that has begun and is not finished.
struct Record {
  std::string endpoint;            // the new one, "host:port"
  std::string previous;            // the one before, as nodes reached it
  std::vector<std::string> names;  // hosts that certificates keep for those who still use them
  // Since when new nodes are told the new one; not set: control planes still have to serve its name
  std::optional<std::chrono::sys_seconds> switched = {};
  bool operator==(const Record&) const = default;
};

// NodeState is how far a node is.
struct NodeState {
  std::string name;
  std::string mark;  // "": it has taken nothing over
  std::chrono::sys_seconds created;
};

// FindRecord throws base::Error(kInvalid), naming the ConfigMap, when it holds something else.
std::optional<Record> FindRecord(kube::Client& client);
void PutRecord(kube::Client& client, const Record& record);

// RemoveRecord removes the record of this change; does nothing when there is none. Throws
// base::Error(kConflict), and leaves it, when the record is of another change.
void RemoveRecord(kube::Client& client, const Record& record);

// NodeStates is of all nodes of the cluster. A mark is an annotation of a Node: the endpoint that
// the node has taken over.
std::vector<NodeState> NodeStates(kube::Client& client);
std::string MarkOf(kube::Client& client, const std::string& node);
void SetMark(kube::Client& client, const std::string& node, const std::string& endpoint);

}  // namespace endpoint
