// SPDX-License-Identifier: Apache-2.0
// Challenges for TPMs: each is for one machine and one certificate request.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "host/clock.h"

namespace proofs {

// The claim that the answer to a challenge proves.
struct Claim {
  std::string node;
  std::string key_id;           // of the certificate request (pki::Request)
  std::string endorsement_key;  // judgement::Machine::endorsement_key
};

// The id is public. Only the machine may learn the secret.
struct Challenge {
  std::string id;
  std::string secret;  // 32 bytes
};

// Nothing is stored: id and secret are MACs of the claim and the time. So any replica with the same
// key can check an answer, and no number of challenges displaces another one. Thread-safe if `key`
// is. The clock must outlive the object.
class Challenges {
 public:
  static constexpr std::chrono::seconds kValid{60};

  // `key` returns the secret that all replicas share. It may change at any time: challenges of the
  // previous key are then unknown.
  Challenges(const host::Clock& clock, std::function<std::string()> key)
      : clock_(clock), key_(std::move(key)) {}

  // Returns a new challenge, valid for kValid. Throws the errors of `key`.
  Challenge Issue(const Claim& claim) const;

  // Returns whether the secret answers the challenge; std::nullopt if no challenge of that id is
  // valid for the claim. A valid answer may be repeated. Throws the errors of `key`.
  std::optional<bool> IsAnswered(const std::string& id, const Claim& claim,
                                 const std::string& secret) const;

 private:
  // Returns HMAC-SHA-256 of the purpose, the head of the id and the claim.
  std::string Mac(std::string_view purpose, const std::string& head, const Claim& claim) const;

  const host::Clock& clock_;
  const std::function<std::string()> key_;
};

}  // namespace proofs
