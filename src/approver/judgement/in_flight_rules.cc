// SPDX-License-Identifier: Apache-2.0
// The rule that each machine has at most one certificate of a kind in flight.
#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "judgement/ruling.h"

namespace judgement {
namespace {

// The tolerance for a request that seems older than its Machine, because the node's clock may be
// slow. Upstream's time window has the same tolerance.
constexpr std::chrono::seconds kBefore{10};

// Returns whether an already approved request blocks this request. A request for a serving
// certificate, or one that an inventory's entry attests, blocks until its certificate is issued. A
// Machine's first request blocks until its Node exists; then the Node is a reason to refuse a
// second request. A request of a previous machine of the same name does not block. A request of a
// bound token's owner, or of an identity, blocks until its certificate is issued; after that, it
// blocks like a Machine's first request, except that it does not block a request with the same
// public key.
bool Blocks(const ApprovedRequest& other, RequestKind kind, const Machine* machine,
            const std::string& key_id) {
  const bool bound = machine != nullptr &&
                     (machine->source == Source::kTokens || machine->source == Source::kIdentity);
  if (bound && other.issued) {
    return other.key_id != key_id && other.created > machine->created - kBefore;
  }
  if (kind == RequestKind::kServing || machine == nullptr || machine->is_entry) {
    return !other.issued;
  }
  return other.created > machine->created - kBefore;
}

}  // namespace

void JudgeInFlight(const Facts& facts, RequestKind kind, const Machine* machine, Ruling& ruling) {
  const auto other = std::ranges::find_if(facts.in_flight, [&](const ApprovedRequest& approved) {
    return Blocks(approved, kind, machine, (*facts.request)->key_id);
  });
  const bool none = other == facts.in_flight.end();
  ruling.Check("one-in-flight", none, {Decision::kRetry, Reason::kCertificateInFlight}, [&] {
    return none ? "no other request of the node was approved a moment ago"
                : fmt::format(
                      "request {} of the node was approved less than an hour ago and its "
                      "certificate is {}",
                      base::Quoted(other->name),
                      other->issued ? "issued, but there is no Node yet" : "not issued yet");
  });
}

}  // namespace judgement
