// SPDX-License-Identifier: Apache-2.0
#include <openssl/err.h>

#include <algorithm>

#include "pki/openssl.h"
#include "pki/request.h"

namespace pki {
namespace {

using ConstraintsPtr = std::unique_ptr<NAME_CONSTRAINTS, Deleter<NAME_CONSTRAINTS_free>>;

// SHA-1 counts as 63 bits, SHA-256 as 128.
constexpr int kFewestBits = 80;

bool IsWeaklySigned(X509* certificate) {
  int bits = 0;
  return X509_get_signature_info(certificate, nullptr, nullptr, &bits, nullptr) != 1 ||
         bits < kFewestBits;
}

// Checks the conditions that apply to both certificates.
std::string PartProblem(const Certificate& certificate, std::chrono::sys_seconds now) {
  X509* x509 = certificate.impl().x509.get();
  if (now < certificate.not_before() || now > certificate.not_after()) {
    return "a certificate has expired or is not valid yet";
  }
  const std::uint32_t flags = X509_get_extension_flags(x509);
  if ((flags & (EXFLAG_CRITICAL | EXFLAG_INVALID)) != 0) {
    return "a certificate has extensions that cannot be judged";
  }
  if ((flags & EXFLAG_XKUSAGE) != 0 &&
      (X509_get_extended_key_usage(x509) & (XKU_SSL_SERVER | XKU_ANYEKU)) == 0) {
    return "a certificate does not allow server authentication";
  }
  return "";
}

bool MaySign(X509* anchor) {
  const std::uint32_t usage = X509_get_key_usage(anchor);  // all bits if it is not restricted
  return X509_check_ca(anchor) == 1 && (usage & KU_KEY_CERT_SIGN) != 0;
}

bool KeepsConstraints(X509* leaf, X509* anchor) {
  const ConstraintsPtr constraints(static_cast<NAME_CONSTRAINTS*>(
      X509_get_ext_d2i(anchor, NID_name_constraints, nullptr, nullptr)));
  return constraints == nullptr || NAME_CONSTRAINTS_check(leaf, constraints.get()) == X509_V_OK;
}

// Returns why this anchor does not verify the certificate; std::nullopt if it did not sign it.
std::optional<std::string> AnchorProblem(const Certificate& leaf, const Certificate& anchor,
                                         std::chrono::sys_seconds now) {
  X509* x509 = leaf.impl().x509.get();
  X509* issuer = anchor.impl().x509.get();
  if (leaf == anchor) {
    return PartProblem(leaf, now);
  }
  if (X509_NAME_cmp(X509_get_issuer_name(x509), X509_get_subject_name(issuer)) != 0 ||
      X509_verify(x509, X509_get0_pubkey(issuer)) != 1) {
    return {};
  }
  if (IsWeaklySigned(x509) || !MaySign(issuer) || !KeepsConstraints(x509, issuer)) {
    return "its issuer may not sign it, or signed it too weakly";
  }
  std::string problem = PartProblem(leaf, now);
  return problem.empty() ? PartProblem(anchor, now) : problem;
}

}  // namespace

std::optional<std::string> ServerTrustProblem(const Certificate& leaf,
                                              const std::vector<Certificate>& anchors,
                                              std::chrono::sys_seconds now) {
  std::string problem = "no certificate of the bundle has signed it";
  for (const Certificate& anchor : anchors) {
    const auto found = AnchorProblem(leaf, anchor, now);
    ERR_clear_error();
    if (found && found->empty()) {
      return std::nullopt;
    }
    problem = found.value_or(problem);
  }
  return problem;
}

}  // namespace pki
