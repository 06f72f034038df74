// SPDX-License-Identifier: Apache-2.0
// Certificate signing requests (RFC 2986) as whoever must judge them reads them: strictly, and
// without skipping anything that a name could hide in.
#pragma once

#include <chrono>
#include <expected>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pki/certificate.h"

namespace pki {

// kMaxRequestSize is the largest PEM text that is read, in bytes; a kubelet's has about 1,000.
inline constexpr std::size_t kMaxRequestSize = std::size_t{64} << 10U;

// RequestNames are the subject alternative names (RFC 5280 §4.2.1.6) that a request asks for.
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

// Request is what a certificate signing request says.
struct Request {
  std::string common_name;                 // the last readable one, "" when there is none
  std::vector<std::string> organizations;  // readable ones, in order
  int common_names = 0;                    // how many CN attributes there are, readable or not
  int organization_attributes = 0;
  RequestNames names;
  bool is_version_0 = false;  // the only version there is (RFC 2986 §4.1)
  // What kubelets never ask for, by OID: attributes of the subject beside CN and O, extensions
  // beside the alternative names, and these where they are critical; " (critical)" behind those
  // that say so.
  std::vector<std::string> other_attributes;
  std::vector<std::string> other_extensions;
  // Attributes of the request beside one that asks for extensions: by OID, or in words.
  std::vector<std::string> unknown_attributes;
  bool asks_for_ca = false;          // basicConstraints with cA TRUE
  std::string key_text;              // "RSA-2048", "ECDSA-P256", "Ed25519", an OID for other kinds
  bool key_is_strong = false;        // RSA of 2048 bits or more, ECDSA P-256, P-384, P-521, Ed25519
  std::string signature_text;        // "ECDSA-SHA256", …, an OID for other kinds
  bool signature_is_strong = false;  // RSA PKCS #1 or ECDSA with SHA-256, -384, -512, or Ed25519
  bool signature_holds = false;      // the request is signed with the key that it shows
};

// RequestFault says why a text is not a request.
struct RequestFault {
  enum class Kind { kNoRequest, kTooLarge, kMalformed } kind;
  std::string text;
};

// ReadRequest reads a text that is one PEM block CERTIFICATE REQUEST and nothing else
// (OnlyPemBlock) of canonical DER: what is read here is what any signer reads. The version, the
// key's strength, what is asked for and the signature are found out, not demanded.
std::expected<Request, RequestFault> ReadRequest(std::string_view pem);

// AltNamesOf is all of a certificate's alternative names, read as those of a request. Throws
// base::Error(kInvalid) when they cannot be read.
RequestNames AltNamesOf(const Certificate& certificate);

// ServerTrustProblem is why a TLS server's certificate cannot be trusted: one of `anchors` must
// have signed it itself (or be it), both must be valid `now` and allow server authentication, the
// anchor must be a CA whose constraints the names keep, and SHA-1 is too weak. Nothing when it is
// trusted.
std::optional<std::string> ServerTrustProblem(const Certificate& leaf,
                                              const std::vector<Certificate>& anchors,
                                              std::chrono::sys_seconds now);

// LenientChain is every certificate of a text that can be read; others are skipped.
std::vector<Certificate> LenientChain(std::string_view pem);

}  // namespace pki
