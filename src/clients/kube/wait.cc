#include "kube/wait.h"

#include <fmt/core.h>

#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <utility>

#include "base/duration.h"
#include "http/client.h"

namespace kube {

using Kind = base::Error::Kind;

bool Pause(milliseconds duration, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any never;
  std::unique_lock lock(mutex);
  never.wait_for(lock, stop, duration, [] { return false; });
  return !stop.stop_requested();
}

Backoff::Backoff(milliseconds first, milliseconds most, milliseconds limit)
    : next_(first), most_(most), limit_(limit) {}

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

// CulpritWatch looks for the culprit now and then.
class CulpritWatch {
 public:
  explicit CulpritWatch(const WaitOptions& options)
      : options_(options), next_(options.culprit_every) {}

  // Look throws the culprit, when it is time to look and there is one.
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
  Backoff backoff(options.first, options.most, options.limit);
  CulpritWatch culprit(options);
  for (std::string reason = probe(options.stop); !reason.empty(); reason = probe(options.stop)) {
    culprit.Look(backoff.Spent());
    const auto pause = backoff.Next();
    if (!pause) {
      throw base::Error(Kind::kTimeout, fmt::format("not ready after {}: {}",
                                                    base::FormatDuration(options.limit), reason));
    }
    if (!Pause(*pause, options.stop)) {
      throw base::Error(Kind::kCancelled, "stopped while waiting: " + reason);
    }
  }
  return backoff.Spent();
}

Probe PathProbe(std::shared_ptr<Transport> transport, std::string path) {
  return [transport = std::move(transport), path = std::move(path)](std::stop_token stop) {
    try {
      transport->GetPath(path, std::move(stop));
      return std::string();
    } catch (const base::Error& error) {
      return error.message();
    }
  };
}

Probe AnswerProbe(std::shared_ptr<Transport> transport) {
  return [transport = std::move(transport)](std::stop_token stop) {
    try {
      transport->GetPath("/version", std::move(stop));
    } catch (const base::Error& error) {
      // Before its built-in rules are there, it knows nobody but system:masters.
      if (error.kind() != base::Error::Kind::kForbidden &&
          error.kind() != base::Error::Kind::kUnauthorized) {
        return error.message();
      }
    }
    return std::string();
  };
}

Probe UrlProbe(std::string url, milliseconds timeout) {
  auto client = std::make_shared<http::Client>(http::Tls{.skip_verify = true});
  return [client, url = std::move(url), timeout](std::stop_token stop) {
    http::Request request{.url = url, .timeout = timeout, .stop = std::move(stop)};
    try {
      const int status = client->Do(request).status;
      return status == 200 ? std::string() : fmt::format("{} answered with status {}", url, status);
    } catch (const base::Error& error) {
      return error.message();
    }
  };
}

}  // namespace kube
