// SPDX-License-Identifier: Apache-2.0
#include "pki/rsa.h"

#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/rsa.h>

#include <algorithm>
#include <memory>

namespace pki {
namespace {

// OpenSSL calls this function after each candidate, to ask whether to continue.
int GoOn(EVP_PKEY_CTX* context) noexcept {
  const auto* stop = static_cast<const std::stop_token*>(EVP_PKEY_CTX_get_app_data(context));
  return stop->stop_requested() ? 0 : 1;
}

using BnCtxPtr = std::unique_ptr<BN_CTX, Deleter<BN_CTX_free>>;

BnPtr NumberOf(const EVP_PKEY& key, const char* name) {
  BIGNUM* number = nullptr;
  EVP_PKEY_get_bn_param(&key, name, &number);
  ERR_clear_error();
  return BnPtr(number);
}

BnPtr NewNumber() {
  BnPtr number(BN_new());
  Check(number != nullptr, "cannot make a number");
  return number;
}

// Returns whether a·b = 1 (mod m), 0 < a < m.
bool IsInverse(const BIGNUM* a, const BIGNUM* b, const BIGNUM* m, BN_CTX* scratch) {
  const BnPtr product = NewNumber();
  return BN_is_zero(a) == 0 && BN_cmp(a, m) < 0 &&
         BN_mod_mul(product.get(), a, b, m, scratch) == 1 && BN_is_one(product.get()) == 1;
}

struct Factor {
  const char* prime;
  const char* exponent;
};
constexpr Factor kFactors[] = {{OSSL_PKEY_PARAM_RSA_FACTOR1, OSSL_PKEY_PARAM_RSA_EXPONENT1},
                               {OSSL_PKEY_PARAM_RSA_FACTOR2, OSSL_PKEY_PARAM_RSA_EXPONENT2}};

// Returns whether a factor's exponent is d (mod prime - 1) and inverts e.
bool ExponentsFit(const EVP_PKEY& key, const Factor& factor, BN_CTX* scratch) {
  const BnPtr e = NumberOf(key, OSSL_PKEY_PARAM_RSA_E);
  const BnPtr d = NumberOf(key, OSSL_PKEY_PARAM_RSA_D);
  const BnPtr order = NumberOf(key, factor.prime);
  const BnPtr exponent = NumberOf(key, factor.exponent);
  const BnPtr reduced = NewNumber();
  return e && d && order && exponent && BN_sub_word(order.get(), 1) == 1 &&
         IsInverse(exponent.get(), e.get(), order.get(), scratch) &&
         BN_mod(reduced.get(), d.get(), order.get(), scratch) == 1 &&
         BN_cmp(reduced.get(), exponent.get()) == 0;
}

// Returns whether n = p·q, and the coefficient is the inverse of q (mod p).
bool FactorsFit(const EVP_PKEY& key, BN_CTX* scratch) {
  const BnPtr n = NumberOf(key, OSSL_PKEY_PARAM_RSA_N);
  const BnPtr p = NumberOf(key, OSSL_PKEY_PARAM_RSA_FACTOR1);
  const BnPtr q = NumberOf(key, OSSL_PKEY_PARAM_RSA_FACTOR2);
  const BnPtr coefficient = NumberOf(key, OSSL_PKEY_PARAM_RSA_COEFFICIENT1);
  const BnPtr product = NewNumber();
  return n && p && q && coefficient && BN_mul(product.get(), p.get(), q.get(), scratch) == 1 &&
         BN_cmp(product.get(), n.get()) == 0 &&
         IsInverse(coefficient.get(), q.get(), p.get(), scratch);
}

}  // namespace

bool IsWholeRsaKey(const EVP_PKEY& key) {
  const BnCtxPtr scratch(BN_CTX_secure_new());
  Check(scratch != nullptr, "cannot make a number");
  const bool whole =
      FactorsFit(key, scratch.get()) && std::ranges::all_of(kFactors, [&](const Factor& factor) {
        return ExponentsFit(key, factor, scratch.get());
      });
  ERR_clear_error();
  return whole;
}

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
    throw base::Interrupted("interrupted while generating a key");
  }
  Check(drawn, "cannot make an RSA key");
  return key;
}

}  // namespace pki
