#include "pki/prime.h"

#include <array>
#include <vector>

namespace pki {
namespace {

using MontPtr = std::unique_ptr<BN_MONT_CTX, Deleter<BN_MONT_CTX_free>>;

constexpr int kRounds = 8;
constexpr std::size_t kSieveLimit = 1U << 14U;
// How far from its random start a candidate may lie: the starts stay many, whatever is found.
constexpr BN_ULONG kReach = 1U << 13U;

// The odd primes below kSieveLimit.
std::vector<BN_ULONG> SmallPrimes() {
  std::vector<bool> composite(kSieveLimit, false);
  std::vector<BN_ULONG> primes;
  for (std::size_t number = 3; number < kSieveLimit; number += 2) {
    if (composite[number]) {
      continue;
    }
    primes.push_back(number);
    for (std::size_t multiple = number * number; multiple < kSieveLimit; multiple += 2 * number) {
      composite[multiple] = true;
    }
  }
  return primes;
}

// The even distances from `start`, ascending, at which no small prime divides.
std::vector<BN_ULONG> Survivors(const BIGNUM* start) {
  static const std::vector<BN_ULONG> kPrimes = SmallPrimes();
  std::array<bool, kReach / 2> divided{};
  for (const BN_ULONG prime : kPrimes) {
    // The first even distance d with start + d ≡ 0.
    BN_ULONG distance = (prime - BN_mod_word(start, prime)) % prime;
    distance += distance % 2 == 0 ? 0 : prime;
    for (; distance < kReach; distance += 2 * prime) {
      divided[distance / 2] = true;
    }
  }
  std::vector<BN_ULONG> survivors;
  for (std::size_t i = 0; i < divided.size(); ++i) {
    if (!divided[i]) {
      survivors.push_back(2 * i);
    }
  }
  return survivors;
}

void ThrowIfStopped(const std::stop_token& stop) {
  if (stop.stop_requested()) {
    throw base::Error(base::Error::Kind::kCancelled, "making a key was stopped");
  }
}

// The first prime at or after the random `start`, if there is one within reach.
BnPtr FirstPrime(const BIGNUM* start, BN_ULONG coprime, const std::stop_token& stop, BN_CTX* ctx) {
  const int bits = BN_num_bits(start);
  for (const BN_ULONG distance : Survivors(start)) {
    ThrowIfStopped(stop);
    BnPtr candidate = NewSecretNumber();
    Check(BN_copy(candidate.get(), start) != nullptr && BN_add_word(candidate.get(), distance) == 1,
          "cannot draw a prime");
    if (BN_num_bits(candidate.get()) == bits && BN_mod_word(candidate.get(), coprime) != 1 &&
        IsProbablePrime(candidate.get(), kRounds, ctx)) {
      return candidate;
    }
  }
  return nullptr;
}

// What one round of the test works with: candidate = 2^twos · odd + 1.
struct Parts {
  const BIGNUM* candidate;
  const BIGNUM* less_one;
  const BIGNUM* odd;
  int twos;
  BN_MONT_CTX* mont;
  BN_CTX* ctx;
};

// Whether the base leaves the candidate a chance to be prime.
bool Passes(const BIGNUM* base, const Parts& parts) {
  const BnPtr power = NewSecretNumber();
  Check(BN_mod_exp_mont_consttime(power.get(), base, parts.odd, parts.candidate, parts.ctx,
                                  parts.mont) == 1,
        "cannot test a prime");
  if (BN_is_one(power.get()) == 1 || BN_cmp(power.get(), parts.less_one) == 0) {
    return true;
  }
  for (int i = 1; i < parts.twos; ++i) {
    Check(BN_mod_sqr(power.get(), power.get(), parts.candidate, parts.ctx) == 1,
          "cannot test a prime");
    if (BN_cmp(power.get(), parts.less_one) == 0) {
      return true;
    }
  }
  return false;
}

// A random number from 2 to limit−1.
void DrawBase(BIGNUM* base, const BIGNUM* limit, BN_CTX* ctx) {
  do {
    Check(BN_priv_rand_range_ex(base, limit, 0, ctx) == 1, "cannot draw random numbers");
  } while (BN_is_zero(base) == 1 || BN_is_one(base) == 1);
}

}  // namespace

BnPtr NewSecretNumber() {
  BnPtr number(BN_secure_new());
  Check(number != nullptr, "cannot make an RSA key");
  BN_set_flags(number.get(), BN_FLG_CONSTTIME);
  return number;
}

bool IsProbablePrime(const BIGNUM* candidate, int rounds, BN_CTX* ctx) {
  const BnPtr less_one = NewSecretNumber();
  const BnPtr odd = NewSecretNumber();
  const BnPtr base = NewSecretNumber();
  const MontPtr mont(BN_MONT_CTX_new());
  Check(mont != nullptr && BN_sub(less_one.get(), candidate, BN_value_one()) == 1 &&
            BN_MONT_CTX_set(mont.get(), candidate, ctx) == 1,
        "cannot test a prime");
  int twos = 1;
  while (BN_is_bit_set(less_one.get(), twos) == 0) {
    ++twos;
  }
  Check(BN_rshift(odd.get(), less_one.get(), twos) == 1, "cannot test a prime");
  const Parts parts{.candidate = candidate,
                    .less_one = less_one.get(),
                    .odd = odd.get(),
                    .twos = twos,
                    .mont = mont.get(),
                    .ctx = ctx};
  for (int round = 0; round < rounds; ++round) {
    DrawBase(base.get(), less_one.get(), ctx);
    if (!Passes(base.get(), parts)) {
      return false;
    }
  }
  return true;
}

BnPtr NewPrime(int bits, BN_ULONG coprime, const std::stop_token& stop) {
  const BnCtxPtr ctx(BN_CTX_secure_new());
  Check(ctx != nullptr, "cannot make an RSA key");
  const BnPtr start = NewSecretNumber();
  while (true) {
    Check(
        BN_priv_rand_ex(start.get(), bits, BN_RAND_TOP_TWO, BN_RAND_BOTTOM_ODD, 0, ctx.get()) == 1,
        "cannot draw random numbers");
    if (BnPtr prime = FirstPrime(start.get(), coprime, stop, ctx.get())) {
      return prime;
    }
  }
}

}  // namespace pki
