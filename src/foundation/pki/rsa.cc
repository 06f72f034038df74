#include "pki/rsa.h"

#include <openssl/core_names.h>

#include <future>
#include <utility>

#include "pki/prime.h"

namespace pki {
namespace {

constexpr BN_ULONG kPublicExponent = 65537;

// RsaNumbers are the parts of a key as RFC 8017 names them; p > q.
struct RsaNumbers {
  BnPtr n = NewSecretNumber();
  BnPtr e = NewSecretNumber();
  BnPtr d = NewSecretNumber();
  BnPtr p = NewSecretNumber();
  BnPtr q = NewSecretNumber();
  BnPtr d_p = NewSecretNumber();
  BnPtr d_q = NewSecretNumber();
  BnPtr q_inverse = NewSecretNumber();
};

// DrawPrimes sets p, q and n = p·q. The primes are drawn at the same time: a command that makes one
// key waits half as long. FIPS 186-5 §A.1.3 wants them apart in their upper 100 bits, against
// Fermat's way of factoring.
void DrawPrimes(RsaNumbers& key, int bits, const std::stop_token& stop, BN_CTX* ctx) {
  const BnPtr difference = NewSecretNumber();
  do {
    std::future<BnPtr> other =
        std::async(std::launch::async, [&] { return NewPrime(bits / 2, kPublicExponent, stop); });
    key.p = NewPrime(bits / 2, kPublicExponent, stop);
    key.q = other.get();
    if (BN_cmp(key.p.get(), key.q.get()) < 0) {
      std::swap(key.p, key.q);
    }
    Check(BN_sub(difference.get(), key.p.get(), key.q.get()) == 1 &&
              BN_mul(key.n.get(), key.p.get(), key.q.get(), ctx) == 1,
          "cannot multiply primes");
  } while (BN_num_bits(difference.get()) <= bits / 2 - 100 || BN_num_bits(key.n.get()) != bits);
}

// DeriveExponents sets d = e⁻¹ mod lcm(p−1, q−1) and the Chinese remainder numbers. False when d is
// too short (FIPS 186-5 §A.1.1: d > 2^(bits/2)), which all but never happens.
bool DeriveExponents(RsaNumbers& key, int bits, BN_CTX* ctx) {
  const BnPtr p_less = NewSecretNumber();
  const BnPtr q_less = NewSecretNumber();
  const BnPtr product = NewSecretNumber();
  const BnPtr divisor = NewSecretNumber();
  const BnPtr lcm = NewSecretNumber();
  const bool computed =
      BN_sub(p_less.get(), key.p.get(), BN_value_one()) == 1 &&
      BN_sub(q_less.get(), key.q.get(), BN_value_one()) == 1 &&
      BN_mul(product.get(), p_less.get(), q_less.get(), ctx) == 1 &&
      BN_gcd(divisor.get(), p_less.get(), q_less.get(), ctx) == 1 &&
      BN_div(lcm.get(), nullptr, product.get(), divisor.get(), ctx) == 1 &&
      BN_mod_inverse(key.d.get(), key.e.get(), lcm.get(), ctx) != nullptr &&
      BN_mod(key.d_p.get(), key.d.get(), p_less.get(), ctx) == 1 &&
      BN_mod(key.d_q.get(), key.d.get(), q_less.get(), ctx) == 1 &&
      BN_mod_inverse(key.q_inverse.get(), key.q.get(), key.p.get(), ctx) != nullptr;
  Check(computed, "cannot compute an RSA key");
  return BN_num_bits(key.d.get()) > bits / 2;
}

EvpPkeyPtr ToKey(const RsaNumbers& key) {
  const ParamBldPtr builder(OSSL_PARAM_BLD_new());
  Check(builder != nullptr, "cannot make an RSA key");
  const std::pair<const char*, const BIGNUM*> parts[] = {
      {OSSL_PKEY_PARAM_RSA_N, key.n.get()},
      {OSSL_PKEY_PARAM_RSA_E, key.e.get()},
      {OSSL_PKEY_PARAM_RSA_D, key.d.get()},
      {OSSL_PKEY_PARAM_RSA_FACTOR1, key.p.get()},
      {OSSL_PKEY_PARAM_RSA_FACTOR2, key.q.get()},
      {OSSL_PKEY_PARAM_RSA_EXPONENT1, key.d_p.get()},
      {OSSL_PKEY_PARAM_RSA_EXPONENT2, key.d_q.get()},
      {OSSL_PKEY_PARAM_RSA_COEFFICIENT1, key.q_inverse.get()},
  };
  for (const auto& [name, number] : parts) {
    Check(OSSL_PARAM_BLD_push_BN(builder.get(), name, number) == 1, "cannot make an RSA key");
  }
  const ParamsPtr params(OSSL_PARAM_BLD_to_param(builder.get()));
  const EvpPkeyCtxPtr context(EVP_PKEY_CTX_new_from_name(nullptr, "RSA", nullptr));
  EVP_PKEY* made = nullptr;
  Check(params != nullptr && context != nullptr && EVP_PKEY_fromdata_init(context.get()) == 1 &&
            EVP_PKEY_fromdata(context.get(), &made, EVP_PKEY_KEYPAIR, params.get()) == 1,
        "cannot make an RSA key");
  return EvpPkeyPtr(made);
}

}  // namespace

EvpPkeyPtr NewRsaKey(int bits, const std::stop_token& stop) {
  const BnCtxPtr ctx(BN_CTX_secure_new());
  Check(ctx != nullptr, "cannot make an RSA key");
  RsaNumbers key;
  Check(BN_set_word(key.e.get(), kPublicExponent) == 1, "cannot make an RSA key");
  do {
    DrawPrimes(key, bits, stop, ctx.get());
  } while (!DeriveExponents(key, bits, ctx.get()));
  return ToKey(key);
}

}  // namespace pki
