// SPDX-License-Identifier: Apache-2.0
// Polling of cluster-info until the answer is usable or refused.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "discovery/discover.h"
#include "discovery/judge.h"

namespace discovery {

// Polls servers. All fetches of one discovery share one timeout. `host` and `options` must outlive
// the Poll.
class Poll {
 public:
  Poll(host::Host& host, const Options& options);

  using Judge = std::function<Decision(const Facts&)>;
  // The request of a fetch. `path` must be a literal.
  struct Target {
    kube::Connection connection;
    std::string_view path = kClusterInfoPath;
    std::string token_id = {};
    Pin pin = Pin::kNone;
  };
  struct Outcome {
    Decision decision;  // always kUse
    Answer answer;
  };
  // Sends the request immediately, and then at intervals that grow from 0.1 s to 1 s. Blocks until
  // the judge decides. If the judge refuses, throws base::Error with the kind of its decision.
  // After the timeout, throws kTimeout with the last reason to wait. Throws base::Interrupted on a
  // stop request.
  Outcome Fetch(const Target& target, const Judge& judge);

  // Returns a sentence about the clock difference between this node and the server. Returns
  // std::nullopt if the difference is unknown or at most 30 seconds.
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
  base::Duration skew_ = base::Duration::zero();  // the server's clock minus this node's
  std::string said_;
};

}  // namespace discovery
