// SPDX-License-Identifier: Apache-2.0
#include "judgement/judge.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "judgement/names.h"
#include "judgement/ruling.h"

namespace judgement {
namespace {

// Returns the signer name of certificates.k8s.io/v1. Recorded cases without a signer name are
// classified by their contents.
std::string_view SignerOf(RequestKind kind) {
  return kind == RequestKind::kClient ? kClientSigner : kServingSigner;
}

std::string Shown(const std::vector<std::string>& list) { return base::QuotedList(list); }

// Returns why the contents are not those of a client request; "" if they are.
std::string ClientShape(const Csr& csr, const pki::Request& request) {
  if (request.organizations != std::vector<std::string>{std::string(kNodesGroup)}) {
    return "organisations " + Shown(request.organizations);
  }
  if (!request.names.empty()) {
    return "it asks for alternative names";
  }
  if (!UsagesAre(csr, kClientAuth)) {
    return "usages " + Shown(csr.usages);
  }
  if (!request.common_name.starts_with(kNodeUserPrefix)) {
    return "common name " + base::Quoted(request.common_name);
  }
  return "";
}

struct LeftAloneRow {
  std::string_view condition;
  Reason reason;
};
constexpr LeftAloneRow kLeftAlone[] = {{"Approved", Reason::kAlreadyApproved},
                                       {"Denied", Reason::kAlreadyDenied},
                                       {"Failed", Reason::kAlreadyFailed}};

// Checks that the request exists and is readable.
bool JudgeReadable(const Facts& facts, Ruling& ruling) {
  const std::optional<Reason> left = LeftAlone(*facts.csr);
  ruling.Check("pending", !left, {Decision::kIgnore, left.value_or(Reason::kNone)}, [&] {
    return left ? fmt::format("the request is {}", NameOf(*left))
                : std::string("no condition Approved, Denied or Failed");
  });
  ruling.Check("machines-known", !facts.machines_problem,
               {Decision::kRetry, Reason::kMachineListFailed},
               [&] { return facts.machines_problem.value_or("the list of machines was read"); });
  using Fault = pki::RequestFault::Kind;
  const pki::RequestFault* fault = *facts.request ? nullptr : &facts.request->error();
  ruling.Check("request-size", fault == nullptr || fault->kind != Fault::kTooLarge,
               {Decision::kIgnore, Reason::kRequestTooLarge},
               [&] { return fault == nullptr ? "within the limit" : fault->text; });
  ruling.Check("request-pem", fault == nullptr || fault->kind != Fault::kNoRequest,
               {Decision::kRetry, Reason::kBadPem}, [&] {
                 return fault == nullptr ? "exactly one CERTIFICATE REQUEST block" : fault->text;
               });
  ruling.Check("request-der", fault == nullptr || fault->kind != Fault::kMalformed,
               {Decision::kRetry, Reason::kParseError},
               [&] { return fault == nullptr ? "well formed, as DER writes it" : fault->text; });
  return fault == nullptr;
}

}  // namespace

std::string_view DecisionText(Decision decision) {
  switch (decision) {
    case Decision::kApprove:
      return "approve";
    case Decision::kIgnore:
      return "ignore";
    case Decision::kRetry:
      return "retry";
  }
  return "";
}

std::optional<Reason> LeftAlone(const Csr& csr) {
  for (const LeftAloneRow& row : kLeftAlone) {
    if (std::ranges::find(csr.conditions, row.condition, &Condition::type) !=
        csr.conditions.end()) {
      return row.reason;
    }
  }
  return {};
}

bool UsagesAre(const Csr& csr, std::string_view purpose) {
  const auto& usages = csr.usages;
  const std::size_t optional = Contains(usages, kKeyEncipherment) ? 1 : 0;
  return usages.size() == 2 + optional && Contains(usages, kDigitalSignature) &&
         Contains(usages, purpose);
}

RequestKind KindOf(const Csr& csr, const pki::Request& request) {
  return ClientShape(csr, request).empty() ? RequestKind::kClient : RequestKind::kServing;
}

std::string NodeOf(const Csr& csr, const pki::Request& request) {
  return NodeNameOf(KindOf(csr, request) == RequestKind::kClient ? request.common_name
                                                                 : csr.username)
      .value_or("");
}

void JudgeStrictly(const Facts& facts, RequestKind kind, Ruling& ruling) {
  const Csr& csr = *facts.csr;
  const pki::Request& request = **facts.request;
  ruling.Check("signer", csr.signer.empty() || csr.signer == SignerOf(kind),
               {Decision::kIgnore, Reason::kSignerMismatch}, [&] {
                 return fmt::format("signerName {} for {}", base::Quoted(csr.signer),
                                    base::Quoted(SignerOf(kind)));
               });
  ruling.Check("one-common-name", request.common_names == 1,
               {Decision::kIgnore, Reason::kCommonNameNotSingle},
               [&] { return fmt::format("{} common names", request.common_names); });
  ruling.Check("only-organization",
               request.organization_attributes == 1 && request.organizations.size() == 1 &&
                   request.organizations.front() == kNodesGroup,
               {Decision::kIgnore, Reason::kOrganizationNotExact}, [&] {
                 return fmt::format("organisations {} of {} given", Shown(request.organizations),
                                    request.organization_attributes);
               });
  ruling.Check("exact-usages",
               UsagesAre(csr, kind == RequestKind::kClient ? kClientAuth : kServerAuth) &&
                   !(request.key_only_signs && Contains(csr.usages, kKeyEncipherment)),
               {Decision::kIgnore, Reason::kUsagesNotExact},
               [&] { return "usages " + Shown(csr.usages); });
  JudgeShape(request, ruling);
  ruling.Check("key-strength", request.key_is_strong, {Decision::kIgnore, Reason::kKeyTooWeak},
               [&] { return "key " + request.key_text; });
  ruling.Check("own-signature", request.signature_holds,
               {Decision::kIgnore, Reason::kSignatureInvalid}, [&] {
                 return std::string(request.signature_holds
                                        ? "the request is signed with its key"
                                        : "the request's signature does not fit its key");
               });
}

void JudgeWithdrawal(const std::vector<const Machine*>& owning, const std::string& node,
                     Ruling& ruling) {
  const bool withdrawn = std::ranges::contains(owning, Source::kWithdrawn, &Machine::source);
  ruling.Check("not-withdrawn", !withdrawn, {Decision::kRetry, Reason::kNodeWithdrawn}, [&] {
    return fmt::format(
        "node {} {}", base::Quoted(node),
        withdrawn ? "was withdrawn, and is not admitted again" : "was not withdrawn");
  });
}

Verdict Judge(const Facts& facts, const Policy& policy, Detail detail) {
  Ruling ruling(detail);
  if (facts.csr == nullptr || facts.request == nullptr) {
    ruling.Check("request-given", false, {Decision::kIgnore, Reason::kInvalidCall},
                 [] { return std::string("there is no request"); });
    return ruling.Take();
  }
  if (!JudgeReadable(facts, ruling) || ruling.decided()) {
    return ruling.Take();
  }
  const std::string shape = ClientShape(*facts.csr, **facts.request);
  ruling.Note("request-kind", true,
              shape.empty() ? "client: organisation, usages and common name, no other name"
                            : "serving, since it is not a client's: " + shape);
  return shape.empty() ? JudgeClient(facts, policy, std::move(ruling))
                       : JudgeServing(facts, policy, std::move(ruling));
}

}  // namespace judgement
