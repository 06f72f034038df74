// SPDX-License-Identifier: Apache-2.0
#include "pki/x25519.h"

#include <fmt/core.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "pki/key_derivation.h"
#include "pki/openssl.h"

namespace pki {
namespace {

void RequireSize(std::string_view key) {
  if (key.size() != kX25519Size) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("an X25519 key has 32 bytes, this one has {}", key.size()));
  }
}

EvpPkeyPtr Private(std::string_view key) {
  RequireSize(key);
  EvpPkeyPtr loaded(
      EVP_PKEY_new_raw_private_key_ex(nullptr, "X25519", nullptr, Bytes(key), key.size()));
  Check(loaded != nullptr, "cannot use an X25519 key");
  return loaded;
}

}  // namespace

std::string NewX25519Key() { return RandomBytes(kX25519Size); }

std::string X25519PublicKey(std::string_view private_key) {
  const EvpPkeyPtr key = Private(private_key);
  std::string raw(kX25519Size, '\0');
  std::size_t size = raw.size();
  Check(EVP_PKEY_get_raw_public_key(key.get(), Bytes(raw), &size) == 1,
        "cannot compute an X25519 public key");
  return raw;
}

std::string X25519SharedSecret(std::string_view private_key, std::string_view public_key) {
  const EvpPkeyPtr own = Private(private_key);
  RequireSize(public_key);
  const EvpPkeyPtr peer(EVP_PKEY_new_raw_public_key_ex(nullptr, "X25519", nullptr,
                                                       Bytes(public_key), public_key.size()));
  const EvpPkeyCtxPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, own.get(), nullptr));
  Check(peer != nullptr && context != nullptr, "cannot use an X25519 key");
  std::string secret(kX25519Size, '\0');
  std::size_t size = secret.size();
  if (EVP_PKEY_derive_init(context.get()) != 1 ||
      EVP_PKEY_derive_set_peer(context.get(), peer.get()) != 1 ||
      EVP_PKEY_derive(context.get(), Bytes(secret), &size) != 1) {
    FailOpenSsl(base::Error::Kind::kInvalid, "cannot agree on a key by X25519");
  }
  return secret;
}

}  // namespace pki
