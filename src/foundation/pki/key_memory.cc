// SPDX-License-Identifier: Apache-2.0
#include "pki/key_memory.h"

#include <openssl/crypto.h>

namespace pki {
namespace {

// The fixed size of the secure memory. All keys of a node, generated at the same time, need less
// than a tenth of it. The kernel locks a page only once it is used.
constexpr std::size_t kBytes = std::size_t{4} << 20;
constexpr std::size_t kSmallest = 64;

}  // namespace

void LockKeyMemory() { CRYPTO_secure_malloc_init(kBytes, kSmallest); }

}  // namespace pki
