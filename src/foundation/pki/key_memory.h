// SPDX-License-Identifier: Apache-2.0
// Where the secret numbers of private keys lie.
#pragma once

namespace pki {

// LockKeyMemory makes OpenSSL keep the secret numbers of keys in memory apart: never swapped to the
// disk where the limit of locked memory allows that, between guard pages, in no core dump, and
// cleared when it is given back (OPENSSL_secure_malloc(3)). For the beginning of a program, once.
void LockKeyMemory();

}  // namespace pki
