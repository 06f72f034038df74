// SPDX-License-Identifier: Apache-2.0
// The memory of private keys' secret numbers.
#pragma once

namespace pki {

// Makes OpenSSL keep the secret numbers of keys in separate memory. This memory lies between guard
// pages, is absent from core dumps, and is cleared when it is released (OPENSSL_secure_malloc(3)).
// It is never swapped if the limit of locked memory is high enough. Call this function once, at the
// start of a program.
void LockKeyMemory();

}  // namespace pki
