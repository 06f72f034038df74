// SPDX-License-Identifier: Apache-2.0
// Whether a Node may vouch for its own serving certificate (inventory `nodes`).
//
// A kubelet writes its Node's addresses itself, so that they prove nothing. What the judgement
// rests on is what a kubelet cannot write: the name in its client certificate, the addresses that
// the approver bound to the Node when it first approved it, what the cluster keeps for itself, and
// what others have (docs/threat-model-approver.md).
#pragma once

#include <string>
#include <string_view>

#include "judgement/facts.h"
#include "judgement/judge.h"

namespace judgement {

// NodeStep is the outcome: it holds, a fact is wanted first, or the reason why it does not hold.
struct NodeStep {
  bool holds = false;
  Want want = Want::kNothing;
  std::string_view reason;
  std::string text;
};

// ByNode judges the request of `facts` for the Node that asks. That the Node has the names in its
// status is for the caller to see.
NodeStep ByNode(const Facts& facts, const Policy& policy);

// kMostBound is how many addresses are bound to a node: they are kept, for all nodes, in one
// object.
inline constexpr std::size_t kMostBound = 16;

// UnboundOf is those of a request's addresses that are not bound to the node yet; all while nothing
// is.
std::vector<std::string> UnboundOf(const pki::Request& request, const NodeBinding& binding);

}  // namespace judgement
