// SPDX-License-Identifier: Apache-2.0
// The memory of private keys' secret numbers.
#pragma once

namespace pki {

// Makes OpenSSL keep the secret numbers of keys in separate memory: never swapped where the limit
// of locked memory allows that, between guard pages, in no core dump, and cleared when it is
// released (OPENSSL_secure_malloc(3)). Call it once, at the start of a program.
void LockKeyMemory();

}  // namespace pki
