// SPDX-License-Identifier: Apache-2.0
// Reads the evidence of an approval once more from the API servers.
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "inventories/options.h"
#include "judgement/judge.h"
#include "kube/client.h"
#include "requests/store.h"

namespace controller {

// The present state of a verdict's facts.
enum class Live {
  kSame,
  // A fact has changed. The request must be judged again after the watches report the change.
  kChanged,
  // A Node with the name in the requested client certificate exists.
  kNodeExists,
};

// Reads facts from the API servers before an approval, because stale evidence must not lead to an
// approval. A watch may be late, or silent for minutes behind a partitioned network, and its server
// may be stale. The reads have no resourceVersion, so that the API server reads its storage and not
// its cache.
class LiveReader {
 public:
  // Returns whether an entry of kHttp or kExec is still in its inventory (Inventory::Confirms).
  using Confirm = std::function<bool(const judgement::Machine& entry, const std::stop_token& stop)>;

  LiveReader(kube::Transport& management, kube::Transport& workload,
             const inventories::InventoryOptions& inventories, Confirm confirm)
      : management_(management),
        workload_(workload),
        entries_(inventories.config_map),
        tokens_(inventories.tokens),
        confirm_(std::move(confirm)) {}

  // Reads the facts of an approving verdict again. The Node of a requested client certificate must
  // not exist. If the Node or its kubelet was the evidence, the Node's addresses and kubelet port
  // must be unchanged. The trusted Machine, or the entry of a ConfigMap, endpoint or program, must
  // also be unchanged. With the inventory `tokens`, this applies to the node's bindings and
  // withdrawal, too. Throws the errors of kube::Transport if an API server does not answer.
  Live Check(const requests::Gathered& gathered, const judgement::Verdict& verdict,
             const std::stop_token& stop) const;

 private:
  std::optional<json::Value> FindNode(const std::string& name, const std::stop_token& stop) const;
  bool NodeExists(const std::string& name, const std::stop_token& stop) const;
  bool SameNode(const requests::Gathered& gathered, const std::stop_token& stop) const;
  bool SameMachine(const judgement::Machine& machine, const std::stop_token& stop) const;
  // Returns whether the entry is unchanged in its inventory. Returns true for a machine that is not
  // an entry of kHttp, kExec or kConfigMap.
  bool SameEntry(const judgement::Machine& entry, const std::stop_token& stop) const;
  // Returns whether the requester's binding, and the node's bindings and withdrawal, are the judged
  // ones.
  bool SameIdentities(const requests::Gathered& gathered, const std::stop_token& stop) const;
  std::optional<json::Value> FindMap(const inventories::ConfigMapRef& map,
                                     const std::stop_token& stop) const;

  kube::Transport& management_;
  kube::Transport& workload_;
  const std::optional<inventories::ConfigMapRef> entries_;
  const bool tokens_;
  const Confirm confirm_;
};

}  // namespace controller
