// SPDX-License-Identifier: Apache-2.0
// Which addresses belong to which Node, as the approver saw them when it first approved a serving
// certificate for it (inventory `nodes`). Kept in a ConfigMap of the approver's, which no node may
// write: a restart must not make a node's second address its first one.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "judgement/facts.h"
#include "kube/client.h"

namespace evidence {

// The ConfigMap has a key for each node, with {"uid": …, "addresses": […]}. It must be there: a
// deleted one would let every node start over, so that the approver does not make it again.
inline constexpr std::string_view kBindingsName = "cluster-machine-approver-nodes";

// NodeBindings is thread-safe.
class NodeBindings {
 public:
  NodeBindings(kube::Transport& transport, std::string name_space)
      : transport_(transport), name_space_(std::move(name_space)) {}

  // Read is what is bound to the node, and which of `ips` (canonical) are bound to other Nodes that
  // exist still. A binding ends with its Node: one of the same name that was created again has
  // another UID, and one without addresses binds nothing. Nodes are read live.
  judgement::Known<judgement::NodeBinding> Read(const std::string& node,
                                                const std::vector<std::string>& ips,
                                                const std::stop_token& stop);

  // Bind notes `ips` as the node's addresses in place of those before, unless what is known of them
  // is no longer as `judged` says: then it does nothing and returns false. Throws base::Error when
  // it cannot be written.
  bool Bind(const std::string& node, const std::vector<std::string>& ips,
            const judgement::NodeBinding& judged, const std::stop_token& stop);

 private:
  struct Live {
    std::string uid;  // "": there is no such Node, or it has no UID
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
  std::mutex writing_;      // one write at a time: they would only conflict
  std::string swept_upto_;  // guarded by writing_: the last key looked at for a Node that is gone
};

}  // namespace evidence
