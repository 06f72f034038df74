// SPDX-License-Identifier: Apache-2.0
// Certificates of one authority signed by another (RFC 5280 §3.2: cross-certificates).
#pragma once

#include "pki/certificate.h"

namespace pki {

// Returns a certificate with the content of `ca`, signed by `signer`. A client that trusts only
// `signer` and receives this certificate also trusts certificates of `ca`. The certificate expires
// with `ca` or with `signer`, whichever is earlier. Throws base::Error(kInvalid) if the signer's
// key does not match its certificate.
Certificate CrossSign(const Certificate& ca, const KeyPair& signer);

}  // namespace pki
