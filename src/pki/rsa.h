// Drawing RSA keys.
#pragma once

#include <stop_token>

#include "pki/openssl.h"

namespace pki {

// NewRsaKey draws a key of two primes with e = 65537 (RFC 8017 §3, FIPS 186-5 §A.1.3). Throws
// base::Error(kCancelled) when asked to stop.
//
// The primes are OpenSSL's own, with all its rounds of testing; only the key is put together here.
// EVP_RSA_gen additionally builds each prime around two auxiliary primes, as FIPS 186-4 wanted for
// short keys, which triples the time and which FIPS 186-5 no longer asks for at 2048 bits.
EvpPkeyPtr NewRsaKey(int bits, const std::stop_token& stop);

}  // namespace pki
