// SPDX-License-Identifier: Apache-2.0
// Rules for a Node that attests its own serving certificate (inventory `nodes`).
//
// A kubelet writes its Node's addresses itself, so these addresses prove nothing. The judgement
// uses facts that a kubelet cannot write (docs/threat-model-approver.md). One is the name in the
// kubelet's client certificate. Others are the addresses bound to the Node at its first approval,
// and the names and addresses of other Nodes and of the cluster.
#pragma once

#include <string>
#include <string_view>

#include "judgement/facts.h"
#include "judgement/judge.h"
#include "judgement/reason.h"

namespace judgement {

// The result: valid, a missing fact, or the reason of a refusal.
struct NodeStep {
  bool holds = false;
  Want want = Want::kNothing;
  Reason reason = Reason::kNone;
  std::string text;
};

// Judges the request of `facts` with the requesting Node as evidence. The caller must check that
// the Node's status contains the requested names.
NodeStep ByNode(const Facts& facts, const Policy& policy);

// The maximum number of addresses bound to a node. One object stores the addresses of all nodes.
inline constexpr std::size_t kMostBound = 16;

// Returns the addresses of the request that are not bound to the node yet. If the node has no bound
// addresses, returns all addresses of the request.
std::vector<std::string> UnboundOf(const pki::Request& request, const NodeBinding& binding);

}  // namespace judgement
