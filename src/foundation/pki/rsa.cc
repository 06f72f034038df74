// SPDX-License-Identifier: Apache-2.0
#include "pki/rsa.h"

#include <openssl/err.h>
#include <openssl/rsa.h>

namespace pki {
namespace {

// OpenSSL asks after each candidate whether to go on.
int GoOn(EVP_PKEY_CTX* context) {
  const auto* stop = static_cast<const std::stop_token*>(EVP_PKEY_CTX_get_app_data(context));
  return stop->stop_requested() ? 0 : 1;
}

}  // namespace

EvpPkeyPtr NewRsaKey(int bits, const std::stop_token& stop) {
  const EvpPkeyCtxPtr context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  Check(context != nullptr && EVP_PKEY_keygen_init(context.get()) == 1 &&
            EVP_PKEY_CTX_set_rsa_keygen_bits(context.get(), bits) == 1,
        "cannot make an RSA key");
  EVP_PKEY_CTX_set_app_data(context.get(), const_cast<std::stop_token*>(&stop));
  EVP_PKEY_CTX_set_cb(context.get(), GoOn);
  EVP_PKEY* made = nullptr;
  const bool drawn = !stop.stop_requested() && EVP_PKEY_generate(context.get(), &made) == 1;
  EvpPkeyPtr key(made);
  if (!drawn && stop.stop_requested()) {
    ERR_clear_error();
    throw base::Error(base::Error::Kind::kCancelled, "making a key was stopped");
  }
  Check(drawn, "cannot make an RSA key");
  return key;
}

}  // namespace pki
