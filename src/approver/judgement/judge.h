// SPDX-License-Identifier: Apache-2.0
// The judgement: a pure function from facts to a verdict. Does no I/O and reads no clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/facts.h"
#include "judgement/reason.h"

namespace judgement {

// kApprove: the request is approved. kIgnore: it stays pending until the request itself changes.
// kRetry: it stays pending, and is judged again when a machine or node changes, or after a pause.
enum class Decision { kApprove, kIgnore, kRetry };
std::string_view DecisionText(Decision decision);

// A missing fact without which the judgement cannot continue.
enum class Want {
  kNothing,
  kCurrentCertificate,
  kNetwork,
  kHostSubnet,
  kEgressIps,
  kReserved,
  kBinding
};

// One comparison. `rule` is a literal.
struct Rule {
  std::string_view rule;
  bool passed;
  std::string compared;  // both sides of the comparison; empty for Detail::kDecision
};

// The decision and its reasons. The first failed rule decides and gives the reason. The remaining
// rules are still judged if they need no further facts. The rules "by-…" are alternative kinds of
// evidence: they decide only if no kind is valid. Members of type string_view are literals. The
// machine belongs to the facts and has their lifetime.
struct Verdict {
  Decision decision = Decision::kIgnore;
  Reason reason = Reason::kNone;
  std::string message;  // the reason in words
  std::vector<Rule> rules;
  const Machine* machine = nullptr;  // the attesting machine
  Want want = Want::kNothing;        // a missing fact: no decision yet
};

// Detail selects between a record of every rule, for humans, and a judgement that ends at the first
// deciding rule.
enum class Detail { kAll, kDecision };

// The signers of the two kinds of kubelets' certificates (certificates.k8s.io/v1, signerName).
inline constexpr std::string_view kClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";
inline constexpr std::string_view kServingSigner = "kubernetes.io/kubelet-serving";

// Classifies a request by its contents alone, as upstream does. A separate rule requires that
// signerName matches.
enum class RequestKind { kClient, kServing };
RequestKind KindOf(const Csr& csr, const pki::Request& request);

// Returns the node's name in the certificate: from the request (client) or from the requester
// (serving). Returns "" for a request without a node; "" is never equal to another name.
std::string NodeOf(const Csr& csr, const pki::Request& request);

// Returns a decision, or the fact that is missing (Verdict::want). After adding this fact, the
// caller calls again.
Verdict Judge(const Facts& facts, const Policy& policy, Detail detail);

// Returns why a request is not judged: its condition Approved, Denied or Failed. Returns
// std::nullopt without such a condition.
std::optional<Reason> LeftAlone(const Csr& csr);

}  // namespace judgement
