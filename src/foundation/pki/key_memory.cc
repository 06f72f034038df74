// SPDX-License-Identifier: Apache-2.0
#include "pki/key_memory.h"

#include <openssl/crypto.h>

namespace pki {
namespace {

// A fixed size: a node's keys, all generated at the same time, take less than a tenth. Pages are
// locked only once they are used.
constexpr std::size_t kBytes = std::size_t{4} << 20;
constexpr std::size_t kSmallest = 64;

}  // namespace

void LockKeyMemory() { CRYPTO_secure_malloc_init(kBytes, kSmallest); }

}  // namespace pki
