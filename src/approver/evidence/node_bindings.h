// SPDX-License-Identifier: Apache-2.0
// The addresses of each Node at the time of its first approved serving certificate (inventory
// `nodes`). They are stored in a ConfigMap of the approver, which no node may write. Otherwise,
// after a restart, the approver could accept a node's second address as its first one.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "judgement/facts.h"
#include "kube/client.h"

namespace evidence {

// The ConfigMap with the bindings. It has a key for each node, with {"uid": …, "addresses": […]}.
// The UID is "" for addresses that are reserved for the next Node of this name.
// It must exist, and the approver does not recreate it. After a recreation, every node could bind
// new addresses.
inline constexpr std::string_view kBindingsName = "cluster-machine-approver-nodes";

// NodeBindings is thread-safe.
class NodeBindings {
 public:
  NodeBindings(kube::Transport& transport, std::string name_space)
      : transport_(transport), name_space_(std::move(name_space)) {}

  // Returns the node's bound addresses. Also returns, for each other existing Node, one of `ips`
  // (canonical) that is bound to it. A binding ends with its Node: a recreated Node of the same
  // name has another UID. A Node without addresses has no binding. Nodes are read live.
  judgement::Known<judgement::NodeBinding> Read(const std::string& node,
                                                const std::vector<std::string>& ips,
                                                const std::stop_token& stop);

  // Records `ips` as the node's addresses; reserved addresses stay, and get the Node's UID. If the
  // node's binding differs from `judged`, changes nothing and returns false. Throws the errors of
  // kube::Transport if a read or the write fails.
  bool Bind(const std::string& node, const std::vector<std::string>& ips,
            const judgement::NodeBinding& judged, const std::stop_token& stop);

  // Reserves the addresses that a machine has proved for its node, which does not exist yet. They
  // replace earlier ones of this name, and are not refused to other nodes before the Node exists.
  // Throws base::Error with the server's kind if the write fails.
  void Reserve(const std::string& node, const std::vector<std::string>& ips,
               const std::stop_token& stop);

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
  void WriteMap(json::Value map, json::Value entries, const std::stop_token& stop);
  void DropSomeOfGoneNodes(json::Value& entries, const std::stop_token& stop);

  kube::Transport& transport_;
  std::string name_space_;
  // Allows one write at a time, because concurrent writes would conflict.
  std::mutex writing_;
  std::string swept_upto_;  // guarded by writing_: the last key checked for a deleted Node
};

}  // namespace evidence
