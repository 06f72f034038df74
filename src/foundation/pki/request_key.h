// SPDX-License-Identifier: Apache-2.0
// The public key and the signature of a certificate signing request.
#pragma once

#include <string>

#include "pki/der.h"

namespace pki {

struct RequestKey {
  std::string
      text;  // "RSA-2048", "ECDSA-P256", "Ed25519", "ML-DSA-65", the OID of another algorithm
  bool known = false;       // an algorithm with which a signature can be verified
  bool strong = false;      // see Request::key_is_strong
  bool only_signs = false;  // see Request::key_only_signs
};

// Parses a SubjectPublicKeyInfo. A key of a known algorithm (RSA, ECDSA on NIST's curves, Ed25519,
// X25519, ML-DSA, DSA) must be well formed; throws base::Error(kInvalid) otherwise.
RequestKey ReadRequestKey(const der::Element& key);

struct RequestSignature {
  std::string text;     // see Request::signature_text
  bool strong = false;  // see Request::signature_is_strong
};

// Parses the AlgorithmIdentifier of a signature. An algorithm whose parameters differ from its
// standard (RFC 4055 §5, RFC 5758 §3.2, RFC 8410 §3, RFC 9881 §2) does not count as strong.
RequestSignature ReadSignatureAlgorithm(const der::Element& algorithm);

// Verifies the signature of a DER request with the request's own key.
bool RequestSignatureHolds(const std::string& der_text);

}  // namespace pki
