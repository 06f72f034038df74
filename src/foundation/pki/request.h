// SPDX-License-Identifier: Apache-2.0
// Certificate signing requests (RFC 2986) for judgement: parsed strictly, without skipping anything
// that could hide a name.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pki/certificate.h"

namespace pki {

// The size limit of a PEM request, in bytes; a kubelet's has about 1,000.
inline constexpr std::size_t kMaxRequestSize = std::size_t{64} << 10U;

// The subject alternative names (RFC 5280 §4.2.1.6) of a request.
struct RequestNames {
  std::vector<std::string> dns;     // as written
  std::vector<std::string> emails;  // as written
  std::vector<std::string> uris;    // as written
  std::vector<std::string> ips;     // canonical text (net::IpAddress)
  // Names of other kinds, and places where a name may hide from a decoder: each in words.
  std::vector<std::string> others;
  bool empty() const {
    return dns.empty() && emails.empty() && uris.empty() && ips.empty() && others.empty();
  }
};

// The content of a certificate signing request.
struct Request {
  std::string common_name;                 // the last readable one, "" without one
  std::vector<std::string> organizations;  // readable ones, in order
  int common_names = 0;                    // how many CN attributes there are, readable or not
  int organization_attributes = 0;
  RequestNames names;
  bool is_version_0 = false;  // the version that RFC 2986 §4.1 requires
  // Content that kubelets never send, listed by OID: attributes of the subject other than CN and O,
  // extensions other than the alternative names, and critical alternative names. An entry for a
  // critical extension ends in " (critical)".
  std::vector<std::string> other_attributes;
  std::vector<std::string> other_extensions;
  // Attributes of the request besides the one for extensions: by OID, or in words.
  std::vector<std::string> unknown_attributes;
  bool asks_for_ca = false;  // basicConstraints with cA TRUE
  std::string key_id;        // SHA-256 of the SubjectPublicKeyInfo, 64 hex digits
  // "RSA-2048", "ECDSA-P256", "Ed25519", "ML-DSA-65", an OID for other kinds
  std::string key_text;
  // RSA of 2048 bits or more, ECDSA P-256, P-384, P-521, Ed25519, ML-DSA
  bool key_is_strong = false;
  // ML-DSA: its certificate must not have keyEncipherment (RFC 9881 §5)
  bool key_only_signs = false;
  std::string signature_text;  // "ECDSA-SHA256", …, an OID for other kinds
  // RSA PKCS #1 or ECDSA with SHA-256, -384, -512, Ed25519, ML-DSA
  bool signature_is_strong = false;
  bool signature_holds = false;  // the request is signed with its own key
};

// The reason why an input is not a request.
struct RequestFault {
  enum class Kind { kNoRequest, kTooLarge, kMalformed } kind;
  std::string text;
};

// Parses an input that is exactly one PEM block CERTIFICATE REQUEST (OnlyPemBlock) of canonical
// DER, so that every signer reads the same content. Does not judge the version, the strength of the
// key, the content and the signature: the result reports them.
std::expected<Request, RequestFault> ReadRequest(std::string_view pem);

// Returns all alternative names of a certificate, parsed in the same way as a request's alternative
// names. Throws base::Error(kInvalid) if they are malformed.
RequestNames AltNamesOf(const Certificate& certificate);

// Returns why the certificate of a TLS server cannot be trusted; std::nullopt if it can be trusted.
// One of `anchors` must have signed the certificate directly, or be the certificate itself. Both
// must be valid at `now` and allow server authentication. The anchor must be a CA whose name
// constraints allow the names. SHA-1 signatures are too weak.
std::optional<std::string> ServerTrustProblem(const Certificate& leaf,
                                              const std::vector<Certificate>& anchors,
                                              std::chrono::sys_seconds now);

// Returns every readable certificate of an input; others are skipped.
std::vector<Certificate> LenientChain(std::string_view pem);

}  // namespace pki
