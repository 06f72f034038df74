// SPDX-License-Identifier: Apache-2.0
#include "proofs/challenges.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "base/strings.h"
#include "pki/crypto.h"
#include "pki/key_derivation.h"

namespace proofs {
namespace {

constexpr std::size_t kIdSize = 16;

}  // namespace

void Challenges::DropExpired() {
  const auto now = clock_.Steady();
  while (!open_.empty() && (open_.front().until <= now || open_.size() > kMost)) {
    open_.pop_front();
  }
}

std::string Challenges::Issue(const Claim& claim, const std::string& secret) {
  const std::lock_guard lock(mutex_);
  open_.push_back({.id = base::HexEncode(pki::RandomBytes(kIdSize)),
                   .claim = claim,
                   .secret = secret,
                   .until = clock_.Steady() + kValid});
  DropExpired();
  return open_.back().id;
}

std::optional<bool> Challenges::Redeem(const std::string& id, const Claim& claim,
                                       const std::string& secret) {
  const std::lock_guard lock(mutex_);
  DropExpired();
  const auto found = std::ranges::find(open_, id, &Open::id);
  if (found == open_.end()) {
    return std::nullopt;
  }
  const Open open = std::move(*found);
  open_.erase(found);
  if (!(open.claim == claim)) {
    return std::nullopt;
  }
  return pki::ConstantTimeEqual(open.secret, secret);
}

}  // namespace proofs
