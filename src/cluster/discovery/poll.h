// SPDX-License-Identifier: Apache-2.0
// Fetching cluster-info again and again until what comes back can be used, or cannot ever be.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "discovery/discover.h"
#include "discovery/judge.h"

namespace discovery {

// Poll keeps the time that all fetches of one discovery have together. Host and options outlive it.
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
  // Fetch asks at once and then ever less often, from ten times a second to once a second. Throws
  // the judge's refusal, kTimeout with the last reason to wait, kCancelled.
  Outcome Fetch(const Target& target, const Judge& judge);

  // ClockText is a sentence on how far this machine's clock is from the server's; nothing when that
  // is not known or no more than half a minute.
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
  base::Duration skew_ = base::Duration::zero();  // the server's clock less ours
  std::string said_;
};

}  // namespace discovery
