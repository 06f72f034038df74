// The public key and the signature of a certificate signing request.
#pragma once

#include <string>

#include "pki/der.h"

namespace pki {

struct RequestKey {
  std::string text;     // "RSA-2048", "ECDSA-P256", "Ed25519", the OID of another algorithm
  bool known = false;   // an algorithm with which a signature can be verified
  bool strong = false;  // see Request::key_is_strong
};

// ReadRequestKey reads a SubjectPublicKeyInfo. A key of a known algorithm (RSA, ECDSA on NIST's
// curves, Ed25519, X25519, DSA) must be well formed, else throws base::Error(kInvalid).
RequestKey ReadRequestKey(const der::Element& key);

// RequestSignatureHolds verifies the signature of a request in DER with the key that it shows. MD5
// and older digests never hold.
bool RequestSignatureHolds(const std::string& der_text);

}  // namespace pki
