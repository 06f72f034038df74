// SPDX-License-Identifier: Apache-2.0
// Generation of RSA keys, and their consistency check.
#pragma once

#include <stop_token>

#include "pki/openssl.h"

namespace pki {

// Generates a key of two primes with e = 65537 (RFC 8017 §3) by OpenSSL. Throws base::Interrupted
// on a stop request, which is checked after each prime candidate.
EvpPkeyPtr NewRsaKey(int bits, const std::stop_token& stop);

// Returns whether the numbers of a private key are consistent (RFC 8017 §3.2), as Go requires. Does
// not test whether the primes are prime: OpenSSL's own test takes a quarter of a second. Returns
// false for keys of more than two primes.
bool IsWholeRsaKey(const EVP_PKEY& key);

}  // namespace pki
