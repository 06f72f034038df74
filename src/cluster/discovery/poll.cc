// SPDX-License-Identifier: Apache-2.0
#include "discovery/poll.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/log.h"
#include "json/rfc3339.h"

namespace discovery {
namespace {

using Kind = base::Error::Kind;
using std::chrono::milliseconds;

constexpr milliseconds kFirstPause{100};
constexpr milliseconds kLongestPause{1000};
// The minimum timeout of a request, so that even the last request can report its error.
constexpr milliseconds kShortestRequest{2'000};
constexpr milliseconds kLongestRequest{10'000};
constexpr base::Duration kShownSkew = std::chrono::seconds(30);
constexpr int kGoodStatus = 200;
constexpr int kForbiddenStatus = 403;
constexpr int kBusyStatus = 500;
constexpr int kTooManyStatus = 429;
// The path of the server's version. Anonymous callers may read it by ClusterRole
// system:public-info-viewer, which every API server creates
// (kubernetes.io/docs/reference/access-authn-authz/rbac).
constexpr std::string_view kVersionPath = "/version";

}  // namespace

// The time of a server's first answer about cluster-info.
struct Poll::Since {
  std::optional<std::chrono::steady_clock::time_point> first_answer;
};

Poll::Poll(host::Host& host, const Options& options)
    : host_(host),
      options_(options),
      deadline_(host.clock.Steady() +
                std::chrono::duration_cast<std::chrono::steady_clock::duration>(options.timeout)) {}

base::Duration Poll::Left() const {
  return std::max<base::Duration>(deadline_ - host_.clock.Steady(), base::Duration::zero());
}

void Poll::Say(const std::string& text) {
  if (text == said_) {
    return;
  }
  said_ = text;
  base::LogInfo(1, "[discovery] {}", text);
  if (options_.progress) {
    const auto left = std::chrono::ceil<std::chrono::seconds>(Left());
    options_.progress(
        fmt::format("{}; trying again for up to {}", text, base::FormatDuration(left)));
  }
}

void Poll::Look(const Answer& answer) {
  if (answer.date && !answer.canned) {
    skew_ = *answer.date - host_.clock.Now();
  }
}

std::optional<std::string> Poll::ClockText() const {
  const base::Duration size = std::chrono::abs(skew_);
  if (size <= kShownSkew) {
    return std::nullopt;
  }
  return fmt::format("this machine's clock is {} {} the server's: set it, for instance by NTP",
                     base::FormatDuration(std::chrono::floor<std::chrono::seconds>(size)),
                     skew_ > base::Duration::zero() ? "behind" : "ahead of");
}

Facts Poll::Once(const Target& target, Since& since) {
  Facts facts{.server = target.connection.shown, .token_id = target.token_id, .pin = target.pin};
  const auto timeout = std::chrono::ceil<milliseconds>(Left());
  try {
    facts.answer = options_.ask({.connection = target.connection,
                                 .path = std::string(target.path),
                                 .timeout = std::clamp(timeout, kShortestRequest, kLongestRequest),
                                 .stop = options_.stop});
  } catch (const base::Error& error) {
    facts.failure = error;
    return facts;
  }
  Look(facts.answer);
  if (!since.first_answer && facts.answer.status < kBusyStatus &&
      facts.answer.status != kTooManyStatus) {
    since.first_answer = host_.clock.Steady();
  }
  if (since.first_answer) {
    facts.answering = host_.clock.Steady() - *since.first_answer;
  }
  if (facts.answer.status == kForbiddenStatus && facts.answering >= kRulesGrace) {
    facts.has_read_rules = HasReadRules(target);
  }
  return facts;
}

bool Poll::HasReadRules(const Target& target) {
  try {
    return options_
               .ask({.connection = target.connection,
                     .path = std::string(kVersionPath),
                     .stop = options_.stop})
               .status == kGoodStatus;
  } catch (const base::Error&) {
    return false;
  }
}

base::Error Poll::Refusal(const Facts& facts, const Decision& decision) const {
  std::string text = decision.why;
  if (facts.failure && decision.kind == Kind::kUnauthorized) {  // TLS also checks the time
    const auto now = host_.clock.NowSeconds();
    text += fmt::format("; it is {} by this machine's clock", json::FormatRfc3339(now));
    if (const auto skew = ClockText()) {
      text += "; " + *skew;
    }
  }
  return {decision.kind, std::move(text)};
}

Poll::Outcome Poll::Fetch(const Target& target, const Judge& judge) {
  Since since;
  for (milliseconds pause = kFirstPause;; pause = std::min(pause * 6 / 5, kLongestPause)) {
    Facts facts = Once(target, since);
    Decision decision = judge(facts);
    if (decision.what == Decision::What::kUse) {
      return {std::move(decision), std::move(facts.answer)};
    }
    if (decision.what == Decision::What::kRefuse) {
      throw Refusal(facts, decision);
    }
    if (Left() == base::Duration::zero()) {
      throw base::Error(Kind::kTimeout,
                        fmt::format("{} (tried for {}, the timeout for discovery)", decision.why,
                                    base::FormatDuration(options_.timeout)));
    }
    Say(decision.why);
    host_.clock.Sleep(std::min<base::Duration>(pause, Left()), options_.stop);
    if (options_.stop.stop_requested()) {
      throw base::Interrupted("interrupted while discovering the cluster: " + decision.why);
    }
  }
}

}  // namespace discovery
