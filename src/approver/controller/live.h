// SPDX-License-Identifier: Apache-2.0
// What an approval rests on, read once more from the API servers.
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>

#include "inventories/options.h"
#include "judgement/judge.h"
#include "kube/client.h"
#include "requests/store.h"

namespace controller {

// Live is what became of the facts of a verdict.
enum class Live {
  kSame,
  kChanged,     // another verdict is due, once the watches have told us, too
  kNodeExists,  // there is a Node of the name which a client certificate is asked for
};

// LiveReader: a watch may be late, or silent for minutes where a network is cut, and a server that
// watches are read from may be behind. Nobody is vouched for by what was. No read names a
// resourceVersion, so that the API server asks its storage, not its cache.
class LiveReader {
 public:
  // `entries` is the ConfigMap that entries come from, when they come from one.
  LiveReader(kube::Transport& management, kube::Transport& workload,
             std::optional<inventories::ConfigMapRef> entries)
      : management_(management), workload_(workload), entries_(std::move(entries)) {}

  // Check reads, for the verdict that approves: for a client certificate the Node of that name,
  // which must not exist; for what rests on a Node (its addresses, its kubelet) that Node; and the
  // Machine, or the ConfigMap with the entry, that vouches. Throws base::Error when a server does
  // not say.
  Live Check(const requests::Gathered& gathered, const judgement::Verdict& verdict,
             const std::stop_token& stop) const;

 private:
  std::optional<json::Value> FindNode(const std::string& name, const std::stop_token& stop) const;
  bool NodeExists(const std::string& name, const std::stop_token& stop) const;
  bool SameNode(const requests::Gathered& gathered, const std::stop_token& stop) const;
  bool SameMachine(const judgement::Machine& machine, const std::stop_token& stop) const;
  bool SameEntry(const judgement::Machine& entry, const std::stop_token& stop) const;

  kube::Transport& management_;
  kube::Transport& workload_;
  const std::optional<inventories::ConfigMapRef> entries_;
};

}  // namespace controller
