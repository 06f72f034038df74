// SPDX-License-Identifier: Apache-2.0
#include "proofs/challenges.h"

#include <fmt/core.h>

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/secret_text.h"
#include "base/strings.h"
#include "pki/crypto.h"
#include "pki/key_derivation.h"

namespace proofs {
namespace {

using std::chrono::seconds;
using std::chrono::sys_seconds;

constexpr std::size_t kTimeDigits = 16;
constexpr std::size_t kNonceSize = 8;
constexpr std::size_t kHeadSize = kTimeDigits + 2 * kNonceSize;  // the time of issue and the nonce

// Returns the time of issue; std::nullopt if the head is malformed.
std::optional<sys_seconds> TimeOf(std::string_view head) {
  std::uint64_t value = 0;
  const std::string digits(head.substr(0, kTimeDigits));
  const char* end = digits.data() + digits.size();
  const auto [stop, error] = std::from_chars(digits.data(), end, value, 16);
  if (error != std::errc() || stop != end) {
    return std::nullopt;
  }
  return sys_seconds(seconds(static_cast<std::int64_t>(value)));
}

}  // namespace

std::string Challenges::Mac(std::string_view purpose, const std::string& head,
                            const Claim& claim) const {
  const base::SecretText shared(key_());
  const base::SecretText key(
      pki::HkdfSha256(shared, {.salt = {}, .info = "slipway identity challenge"}));
  std::string text;
  for (const std::string_view part :
       {purpose, std::string_view(head), std::string_view(claim.node),
        std::string_view(claim.key_id), std::string_view(claim.endorsement_key)}) {
    text += fmt::format("{}:{};", part.size(), part);
  }
  return pki::HmacSha256(key, text);
}

Challenge Challenges::Issue(const Claim& claim) const {
  const std::string head = fmt::format("{:016x}{}", clock_.NowSeconds().time_since_epoch().count(),
                                       base::HexEncode(pki::RandomBytes(kNonceSize)));
  return {.id = head + base::HexEncode(Mac("id", head, claim)),
          .secret = Mac("secret", head, claim)};
}

std::optional<bool> Challenges::IsAnswered(const std::string& id, const Claim& claim,
                                           const std::string& secret) const {
  if (id.size() < kHeadSize) {
    return std::nullopt;
  }
  const std::string head = id.substr(0, kHeadSize);
  if (!pki::ConstantTimeEqual(id.substr(kHeadSize), base::HexEncode(Mac("id", head, claim)))) {
    return std::nullopt;
  }
  const auto issued = TimeOf(head);
  if (!issued || clock_.NowSeconds() >= *issued + kValid) {
    return std::nullopt;
  }
  const base::SecretText right(Mac("secret", head, claim));
  return pki::ConstantTimeEqual(right, secret);
}

}  // namespace proofs
