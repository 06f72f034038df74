// SPDX-License-Identifier: Apache-2.0
// The addresses of each Node at the time of its first approved serving certificate (inventory
// `nodes`). Stored in a ConfigMap of the approver, which no node may write: a restart must not
// accept a node's second address as its first one.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "judgement/facts.h"
#include "kube/client.h"

namespace evidence {

// The ConfigMap with the bindings. It has a key for each node, with {"uid": …, "addresses": […]}.
// It must exist, and the approver does not recreate it: after a deletion, every node could bind new
// addresses.
inline constexpr std::string_view kBindingsName = "cluster-machine-approver-nodes";

// NodeBindings is thread-safe.
class NodeBindings {
 public:
  NodeBindings(kube::Transport& transport, std::string name_space)
      : transport_(transport), name_space_(std::move(name_space)) {}

  // Returns the node's bound addresses, and those addresses of `ips` (canonical) that are bound to
  // other existing Nodes. A binding ends with its Node: a recreated Node of the same name has
  // another UID. A Node without addresses has no binding. Nodes are read live.
  judgement::Known<judgement::NodeBinding> Read(const std::string& node,
                                                const std::vector<std::string>& ips,
                                                const std::stop_token& stop);

  // Replaces the node's addresses by `ips`. If the node's binding differs from `judged`, changes
  // nothing and returns false. Throws base::Error with the server's kind if the write fails.
  bool Bind(const std::string& node, const std::vector<std::string>& ips,
            const judgement::NodeBinding& judged, const std::stop_token& stop);

 private:
  struct Live {
    std::string uid;  // "": the Node does not exist, or has no UID
    bool control_plane = false;
  };
  json::Value ReadMap(const std::stop_token& stop);
  Live ReadNode(const std::string& node, const std::stop_token& stop);
  judgement::Known<judgement::NodeBinding> From(const json::Value& map, const std::string& node,
                                                const std::vector<std::string>& ips,
                                                const std::stop_token& stop);
  void DropSomeOfGoneNodes(json::Value& entries, const std::stop_token& stop);

  kube::Transport& transport_;
  std::string name_space_;
  std::mutex writing_;      // one write at a time: concurrent ones would conflict
  std::string swept_upto_;  // guarded by writing_: the last key checked for a deleted Node
};

}  // namespace evidence
