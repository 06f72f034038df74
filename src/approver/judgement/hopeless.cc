// SPDX-License-Identifier: Apache-2.0
#include "judgement/hopeless.h"

#include <utility>

namespace judgement {
namespace {

// The maximum size of a message in bytes. Events do not show more of it.
constexpr std::size_t kMostText = 1024;

// Returns a machine that attests everything that the request asks for. For a client request it is
// an entry, for a serving request a Machine, because these two attest the most.
Machine GenerousMachine(const Csr& csr, const pki::Request& request) {
  const std::string node = NodeOf(csr, request);
  const bool client = KindOf(csr, request) == RequestKind::kClient;
  Machine machine{.name = node,
                  .node_ref = client ? std::nullopt : std::optional(node),
                  .is_entry = client,
                  .used_by = {},
                  .provider_id = {}};
  for (const std::string& name : request.names.dns) {
    machine.addresses.push_back({.type = "Hostname", .address = name});
  }
  for (const std::string& ip : request.names.ips) {
    machine.addresses.push_back({.type = "InternalIP", .address = ip});
  }
  return machine;
}

Verdict JudgeGenerously(const Csr& csr, const ParsedRequest& request, bool tokens) {
  Facts facts;
  facts.csr = &csr;
  facts.request = &request;
  const Policy policy{.bootstrap_tokens = tokens, .order = Policy::Order::kCheapest};
  if (!request) {
    return Judge(facts, policy, Detail::kDecision);
  }
  const Machine machine = GenerousMachine(csr, *request);
  (KindOf(csr, *request) == RequestKind::kClient ? facts.named : facts.owning).push_back(&machine);
  Verdict verdict = Judge(facts, policy, Detail::kDecision);
  verdict.machine = nullptr;  // the machine's lifetime ends here
  return verdict;
}

}  // namespace

std::optional<Verdict> HopelessVerdict(const Csr& csr, const ParsedRequest& request, bool tokens) {
  Verdict verdict = JudgeGenerously(csr, request, tokens);
  // A request that can be parsed is terminal only if its verdict is kIgnore and no fact is missing.
  if (request && (verdict.want != Want::kNothing || verdict.decision != Decision::kIgnore)) {
    return {};
  }
  verdict.rules = {};
  if (verdict.message.size() > kMostText) {
    verdict.message.resize(kMostText);
  }
  verdict.message.shrink_to_fit();
  return verdict;
}

}  // namespace judgement
