// SPDX-License-Identifier: Apache-2.0
// Certificates by which one authority vouches for another (RFC 5280 §3.2: cross-certificates).
#pragma once

#include "pki/certificate.h"

namespace pki {

// CrossSign says of `ca` what it says of itself, signed by `signer`: who trusts only that one, and
// is shown this certificate, trusts what `ca` has signed. It ends with the first of the two. Throws
// base::Error(kInvalid) when the signer's key does not belong to its certificate.
Certificate CrossSign(const Certificate& ca, const KeyPair& signer);

}  // namespace pki
