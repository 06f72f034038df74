// Primes for RSA keys. Only this room includes it.
#pragma once

#include <stop_token>

#include "pki/openssl.h"

namespace pki {

// NewPrime draws a random prime of `bits` bits (1024 or more) whose two top bits are set, so that
// the product of two has full length, and for which p−1 has no factor `coprime`. Throws
// base::Error(kCancelled) when stopped.
//
// It is composite with a probability of less than 2^−150: a random candidate passes eight rounds
// of Miller-Rabin (Damgård, Landrock, Pomerance, "Average case error estimates for the strong
// probable prime test", Mathematics of Computation 61, 1993, theorem 2).
BnPtr NewPrime(int bits, BN_ULONG coprime, const std::stop_token& stop);

// IsProbablePrime is `rounds` rounds of the test of Miller and Rabin with random bases
// (FIPS 186-5 §B.3.1) on an odd number greater than 3.
bool IsProbablePrime(const BIGNUM* candidate, int rounds, BN_CTX* ctx);

// NewSecretNumber is a number in memory that is wiped, used only by code of constant time.
BnPtr NewSecretNumber();

}  // namespace pki
