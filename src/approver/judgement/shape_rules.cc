// SPDX-License-Identifier: Apache-2.0
// Contents that no kubelet's request has. A kubelet requests a common name, one organisation, DNS
// names and addresses (client-go's certificate manager); a signer may copy anything else into the
// certificate. The rules also cover names in capitals or with a trailing dot. They are rare, but a
// cloud may have given them to the Node, and programs differ in how they read them.
#include <fmt/core.h>

#include <algorithm>

#include "base/strings.h"
#include "judgement/names.h"
#include "judgement/ruling.h"

namespace judgement {
namespace {

// One rule. `problem` returns the defect of a request, or ""; `otherwise` describes a request
// without the defect.
struct Row {
  std::string_view rule;
  Reason reason;
  std::string (*problem)(const pki::Request& request);
  std::string_view otherwise;
};

std::string VersionProblem(const pki::Request& request) {
  return request.is_version_0 ? "" : "the version of the request is not 0";
}

std::string SubjectProblem(const pki::Request& request) {
  return request.other_attributes.empty()
             ? ""
             : "the subject has attributes " + base::QuotedList(request.other_attributes);
}

std::string CaProblem(const pki::Request& request) {
  return request.asks_for_ca ? "it asks for the certificate of a CA" : "";
}

std::string ExtensionProblem(const pki::Request& request) {
  return request.other_extensions.empty()
             ? ""
             : "it asks for extensions " + base::QuotedList(request.other_extensions);
}

std::string AttributeProblem(const pki::Request& request) {
  return request.unknown_attributes.empty()
             ? ""
             : "the request has attributes " + base::QuotedList(request.unknown_attributes);
}

std::string DigestProblem(const pki::Request& request) {
  return request.signature_is_strong ? "" : "it is signed by " + request.signature_text;
}

std::string EmptyNameProblem(const pki::Request& request) {
  return Contains(request.names.dns, "") ? "one of its DNS names is empty" : "";
}

// Requires lower case, visible ASCII, and no trailing dot.
bool HasPlainForm(std::string_view name) {
  return !name.ends_with('.') && std::ranges::all_of(name, [](char c) {
    return c > ' ' && c < '\x7F' && !(c >= 'A' && c <= 'Z');
  });
}

std::string NameFormProblem(const pki::Request& request) {
  std::vector<std::string> names = request.names.dns;
  if (std::optional<std::string> node = NodeNameOf(request.common_name)) {
    names.push_back(std::move(*node));
  }
  const auto odd = std::ranges::find_if_not(names, HasPlainForm);
  return odd == names.end() ? ""
                            : fmt::format(
                                  "{} is not in lower case, ends in a dot or has "
                                  "characters that no host's name has",
                                  base::Quoted(*odd));
}

constexpr Row kRows[] = {
    {"request-version", Reason::kVersionNotZero, VersionProblem, "version 0"},
    {"plain-subject", Reason::kSubjectAttributeUnknown, SubjectProblem,
     "the subject has a common name and organisations only"},
    {"not-a-ca", Reason::kCaRequested, CaProblem, "it asks for no CA's certificate"},
    {"known-extensions", Reason::kExtensionUnknown, ExtensionProblem,
     "it asks for alternative names at most"},
    {"known-attributes", Reason::kRequestAttributeUnknown, AttributeProblem,
     "it has no attribute but the one that asks for extensions"},
    {"signature-digest", Reason::kDigestTooWeak, DigestProblem, "signed by a strong algorithm"},
    {"no-empty-name", Reason::kNameEmpty, EmptyNameProblem, "no DNS name is empty"},
    {"name-form", Reason::kNameNotCanonical, NameFormProblem,
     "names are in lower case, without a dot at their end"},
};

}  // namespace

void JudgeShape(const pki::Request& request, Ruling& ruling) {
  for (const Row& row : kRows) {
    const std::string problem = row.problem(request);
    ruling.Check(row.rule, problem.empty(), {Decision::kIgnore, row.reason},
                 [&] { return problem.empty() ? std::string(row.otherwise) : problem; });
  }
}

}  // namespace judgement
