// Drawing RSA keys.
#pragma once

#include <stop_token>

#include "pki/openssl.h"

namespace pki {

// NewRsaKey draws a key of two primes with e = 65537 (RFC 8017 §3, FIPS 186-5 §A.1.3). Throws
// base::Error(kCancelled) when asked to stop.
//
// EVP_RSA_gen builds each prime around two auxiliary primes, as FIPS 186-4 wanted for short keys,
// and tests it 64 times; FIPS 186-5 asks for neither at 2048 bits. So the primes are drawn here
// (prime.h), with OpenSSL's arithmetic, in a fifth of the time.
EvpPkeyPtr NewRsaKey(int bits, const std::stop_token& stop);

}  // namespace pki
