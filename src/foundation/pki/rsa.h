// SPDX-License-Identifier: Apache-2.0
// Drawing RSA keys.
#pragma once

#include <stop_token>

#include "pki/openssl.h"

namespace pki {

// NewRsaKey draws a key of two primes with e = 65537 (RFC 8017 §3). OpenSSL draws it; what is ours
// is that it can be stopped between two candidates. Throws base::Error(kCancelled) when it was.
EvpPkeyPtr NewRsaKey(int bits, const std::stop_token& stop);

}  // namespace pki
