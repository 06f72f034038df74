// SPDX-License-Identifier: Apache-2.0
// The judgement: facts in, verdict out. It looks nothing up and knows no clock.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "judgement/facts.h"

namespace judgement {

// Decision: approve; ignore (left pending until the request itself changes); retry (left pending,
// judged again when a machine or node changes, or later).
enum class Decision { kApprove, kIgnore, kRetry };
std::string_view DecisionText(Decision decision);

// Want is a fact that the judgement cannot go on without.
enum class Want {
  kNothing,
  kCurrentCertificate,
  kNetwork,
  kHostSubnet,
  kEgressIps,
  kReserved,
  kBinding
};

// Rule is one thing that was compared; its name is a literal.
struct Rule {
  std::string_view rule;
  bool passed;
  std::string compared;  // what was compared with what; empty for Detail::kDecision
};

// Verdict is the decision and all that led to it. The first failed rule decides and gives the
// reason; rules that need no further facts are judged even after that. Ways to vouch of which one
// is enough ("by-…") decide together. Texts of type string_view are literals; the machine is one of
// the facts and lives no longer than they do.
struct Verdict {
  Decision decision = Decision::kIgnore;
  std::string_view reason;  // a slug (reference: approver.md §7) or one of our stricter rules
  std::string message;      // the reason in words
  std::vector<Rule> rules;
  const Machine* machine = nullptr;  // who vouched
  Want want = Want::kNothing;        // not nothing: no decision yet
};

// Detail is whether every rule is noted, for people, or the first that decides ends it.
enum class Detail { kAll, kDecision };

// The signers of the two kinds of kubelets' certificates (certificates.k8s.io/v1, signerName).
inline constexpr std::string_view kClientSigner = "kubernetes.io/kube-apiserver-client-kubelet";
inline constexpr std::string_view kServingSigner = "kubernetes.io/kubelet-serving";

// KindOfRequest is told from the contents alone, as upstream does; signerName must fit it.
enum class RequestKind { kClient, kServing };
RequestKind KindOf(const Csr& csr, const pki::Request& request);

// NodeOf is the name of the node that the certificate is for: from the request (client) or from who
// asks (serving). A request that names no node has the name "", which equals no other.
std::string NodeOf(const Csr& csr, const pki::Request& request);

// Judge decides, or says which fact it wants. Give it that fact and ask again.
Verdict Judge(const Facts& facts, const Policy& policy, Detail detail);

// LeftAlone is the reason why a request that has a condition is not touched any more; nothing
// when it has none.
std::optional<std::string_view> LeftAlone(const Csr& csr);

}  // namespace judgement
