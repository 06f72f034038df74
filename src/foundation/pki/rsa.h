// SPDX-License-Identifier: Apache-2.0
// Drawing RSA keys, and telling whether one is whole.
#pragma once

#include <stop_token>

#include "pki/openssl.h"

namespace pki {

// NewRsaKey draws a key of two primes with e = 65537 (RFC 8017 §3). OpenSSL draws it; what is ours
// is that it can be stopped between two candidates. Throws base::Error(kCancelled) when it was.
EvpPkeyPtr NewRsaKey(int bits, const std::stop_token& stop);

// IsWholeRsaKey is whether the numbers of a private key belong together (RFC 8017 §3.2), as Go
// wants it; whether its primes are some, which takes OpenSSL's own check a quarter of a second, is
// not asked. Keys of more than two primes are none.
bool IsWholeRsaKey(const EVP_PKEY& key);

}  // namespace pki
