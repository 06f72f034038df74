// SPDX-License-Identifier: Apache-2.0
// Certificates of one authority signed by another (RFC 5280 §3.2: cross-certificates).
#pragma once

#include "pki/certificate.h"

namespace pki {

// Returns a certificate with the content of `ca`, signed by `signer`: a client that trusts only
// `signer` and receives this certificate trusts certificates of `ca`. It expires with the first of
// the two. Throws base::Error(kInvalid) if the signer's key does not match its certificate.
Certificate CrossSign(const Certificate& ca, const KeyPair& signer);

}  // namespace pki
