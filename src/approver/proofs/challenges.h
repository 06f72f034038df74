// SPDX-License-Identifier: Apache-2.0
// Challenges for TPMs: each is for one machine, one certificate request and one answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <mutex>
#include <optional>
#include <string>

#include "host/clock.h"

namespace proofs {

// The claim that the answer to a challenge proves.
struct Claim {
  std::string node;
  std::string key_id;           // of the certificate request (pki::Request)
  std::string endorsement_key;  // judgement::Machine::endorsement_key
  bool operator==(const Claim&) const = default;
};

// Thread-safe. The clock must outlive the object.
class Challenges {
 public:
  static constexpr std::chrono::seconds kValid{60};
  static constexpr std::size_t kMost = 1000;  // a further one replaces the oldest

  explicit Challenges(const host::Clock& clock) : clock_(clock) {}

  // Records a challenge, and returns its id.
  std::string Issue(const Claim& claim, const std::string& secret);

  // Ends a challenge, whatever the answer is. Returns whether the secret answers it;
  // std::nullopt if no challenge of that id is valid for the claim.
  std::optional<bool> Redeem(const std::string& id, const Claim& claim, const std::string& secret);

 private:
  struct Open {
    std::string id;
    Claim claim;
    std::string secret;
    std::chrono::steady_clock::time_point until;
  };
  void DropExpired();

  const host::Clock& clock_;
  std::mutex mutex_;
  std::list<Open> open_;  // guarded by mutex_; the oldest first
};

}  // namespace proofs
