// SPDX-License-Identifier: Apache-2.0
#include "kube/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <utility>

#include "base/duration.h"
#include "base/strings.h"
#include "http/client.h"

namespace kube {

Backoff::Backoff(const host::Clock& clock, milliseconds first, milliseconds most,
                 milliseconds limit)
    : clock_(clock), next_(first), most_(most), limit_(limit), begin_(clock.Steady()) {}

std::optional<milliseconds> Backoff::Next() {
  const auto left = std::chrono::ceil<milliseconds>(limit_ - Spent());
  if (left <= milliseconds::zero()) {
    return std::nullopt;
  }
  const milliseconds pause = std::min({next_, most_, left});
  next_ = std::min(2 * next_, most_);
  return pause;
}

namespace {

constexpr std::size_t kLongestReason = 100;  // of a response's body, in bytes

// Checks for the culprit at intervals.
class CulpritWatch {
 public:
  explicit CulpritWatch(const WaitOptions& options)
      : options_(options), next_(options.culprit_every) {}

  // Throws the culprit's error, if a check is due and finds one.
  void Look(std::chrono::nanoseconds now) {
    if (!options_.culprit || now < next_) {
      return;
    }
    next_ = now + options_.culprit_every;
    if (auto error = options_.culprit()) {
      throw *std::move(error);
    }
  }

 private:
  const WaitOptions& options_;
  std::chrono::nanoseconds next_;
};

}  // namespace

std::chrono::nanoseconds WaitUntil(const Probe& probe, const WaitOptions& options) {
  Backoff backoff(options.clock, options.first, options.most, options.limit);
  CulpritWatch culprit(options);
  while (const std::optional<NotYet> not_yet = probe(options.stop)) {
    culprit.Look(backoff.Spent());
    const auto pause = backoff.Next();
    if (!pause) {
      throw base::Error(
          base::Error::Kind::kTimeout,
          fmt::format("not ready after {}: {}", base::FormatDuration(options.limit), not_yet->why));
    }
    if (!options.clock.Sleep(*pause, options.stop)) {
      throw base::Interrupted("interrupted while waiting: " + not_yet->why);
    }
  }
  return backoff.Spent();
}

Probe PatientProbe(Probe probe) {
  return [probe = std::move(probe)](const std::stop_token& stop) -> std::optional<NotYet> {
    try {
      return probe(stop);
    } catch (const base::Error& error) {
      if (!IsPassing(error) && error.kind() != base::Error::Kind::kForbidden) {
        throw;
      }
      return NotYet{error.message()};
    }
  };
}

Probe PathProbe(std::shared_ptr<Transport> transport, std::string path) {
  return [transport = std::move(transport),
          path = std::move(path)](std::stop_token stop) -> std::optional<NotYet> {
    try {
      transport->GetPath(path, std::move(stop));
      return std::nullopt;
    } catch (const base::Error& error) {
      return NotYet{error.message()};
    }
  };
}

Probe AnswerProbe(std::shared_ptr<Transport> transport) {
  return [transport = std::move(transport)](std::stop_token stop) -> std::optional<NotYet> {
    try {
      transport->GetPath("/version", std::move(stop));
    } catch (const base::Error& error) {
      // An API server without its built-in RBAC rules knows only the group system:masters.
      if (error.kind() != base::Error::Kind::kForbidden &&
          error.kind() != base::Error::Kind::kUnauthorized) {
        return NotYet{error.message()};
      }
    }
    return std::nullopt;
  };
}

Probe UrlProbe(std::string url, milliseconds timeout) {
  auto client = std::make_shared<http::Client>(http::Tls{.skip_verify = true});
  return [client, url = std::move(url), timeout](std::stop_token stop) -> std::optional<NotYet> {
    http::Request request{.url = url, .timeout = timeout, .stop = std::move(stop)};
    try {
      const http::Response response = client->Do(request);
      if (response.status == 200) {
        return std::nullopt;
      }
      const std::string_view body = base::Trim(response.body);
      const bool shown = !body.empty() && body.size() <= kLongestReason && !body.contains('\n');
      return NotYet{fmt::format("{} answered with status {}{}{}", url, response.status,
                                shown ? ": " : "", shown ? body : "")};
    } catch (const base::Error& error) {
      return NotYet{error.message()};
    }
  };
}

}  // namespace kube
