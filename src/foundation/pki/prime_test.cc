#include "pki/prime.h"

#include <gtest/gtest.h>

#include <string>

namespace pki {
namespace {

BnPtr Number(const std::string& decimal) {
  BIGNUM* number = nullptr;
  EXPECT_GT(BN_dec2bn(&number, decimal.c_str()), 0);
  return BnPtr(number);
}

bool IsPrime(const BIGNUM* number) {
  const BnCtxPtr ctx(BN_CTX_new());
  return IsProbablePrime(number, 16, ctx.get());
}

TEST(IsProbablePrime, TellsPrimesFromComposites) {
  struct Case {
    std::string number;
    bool prime;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"5", true},
           {"7", true},
           {"104729", true},
           {"170141183460469231731687303715884105727", true},  // 2^127 − 1
           {"9", false},
           {"561", false},                  // Carmichael
           {"8911", false},                 // Carmichael
           {"3215031751", false},           // strong pseudoprime to the bases 2, 3, 5 and 7
           {"3825123056546413051", false},  // … and to the first nine primes
           // (2^61 − 1)·(2^89 − 1)
           {"1427247692705959880439315947500961989719490561", false}}) {
    EXPECT_EQ(IsPrime(Number(c.number).get()), c.prime) << c.number;
  }
}

TEST(NewPrime, IsOneForOpenSslToo) {
  const BnCtxPtr ctx(BN_CTX_new());
  for (int i = 0; i < 4; ++i) {
    const BnPtr prime = NewPrime(1024, 65537, {});
    EXPECT_EQ(BN_check_prime(prime.get(), ctx.get(), nullptr), 1);
    EXPECT_EQ(BN_num_bits(prime.get()), 1024);
    EXPECT_EQ(BN_is_bit_set(prime.get(), 1022), 1);
    EXPECT_NE(BN_mod_word(prime.get(), 65537), 1U);
  }
}

TEST(NewPrime, IsAnotherOneEachTime) {
  EXPECT_NE(BN_cmp(NewPrime(1024, 65537, {}).get(), NewPrime(1024, 65537, {}).get()), 0);
}

TEST(NewPrime, EndsWhenItIsStopped) {
  std::stop_source source;
  source.request_stop();
  EXPECT_THROW(NewPrime(1024, 65537, source.get_token()), base::Error);
}

}  // namespace
}  // namespace pki
