// SPDX-License-Identifier: Apache-2.0
// Polls cluster-info until the answer is usable, or can never be.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "discovery/discover.h"
#include "discovery/judge.h"

namespace discovery {

// Shares one timeout between all fetches of a discovery. Host and options must outlive it.
class Poll {
 public:
  Poll(host::Host& host, const Options& options);

  using Judge = std::function<Decision(const Facts&)>;
  // Target's path is a literal.
  struct Target {
    kube::Connection connection;
    std::string_view path = kClusterInfoPath;
    std::string token_id = {};
    Pin pin = Pin::kNone;
  };
  struct Outcome {
    Decision decision;  // kUse
    Answer answer;
  };
  // Queries at once and then with growing pauses, from ten times a second to once a second. Throws
  // the judge's refusal, kTimeout with the last reason to wait, base::Interrupted.
  Outcome Fetch(const Target& target, const Judge& judge);

  // Returns a sentence about the difference between this machine's clock and the server's;
  // std::nullopt if it is unknown or at most half a minute.
  std::optional<std::string> ClockText() const;

 private:
  struct Since;
  Facts Once(const Target& target, Since& since);
  bool HasReadRules(const Target& target);
  base::Error Refusal(const Facts& facts, const Decision& decision) const;
  void Look(const Answer& answer);
  void Say(const std::string& text);
  base::Duration Left() const;

  host::Host& host_;
  const Options& options_;
  const std::chrono::steady_clock::time_point deadline_;
  base::Duration skew_ = base::Duration::zero();  // the server's clock minus ours
  std::string said_;
};

}  // namespace discovery
