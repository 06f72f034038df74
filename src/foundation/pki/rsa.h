// SPDX-License-Identifier: Apache-2.0
// Generation of RSA keys, and their consistency check.
#pragma once

#include <stop_token>

#include "pki/openssl.h"

namespace pki {

// Generates a key of two primes with e = 65537 (RFC 8017 §3) by OpenSSL, interruptible between two
// candidates. Throws base::Interrupted when interrupted.
EvpPkeyPtr NewRsaKey(int bits, const std::stop_token& stop);

// Returns whether the numbers of a private key are consistent (RFC 8017 §3.2), as Go requires. Does
// not test the primality of its primes, which takes OpenSSL's own check a quarter of a second.
// Refuses keys of more than two primes.
bool IsWholeRsaKey(const EVP_PKEY& key);

}  // namespace pki
