// SPDX-License-Identifier: Apache-2.0
// Waiting for health: an immediate attempt, then retries with growing pauses, ended early by a
// culprit. Every wait can be interrupted by a stop token at once.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>

#include "base/error.h"
#include "host/clock.h"
#include "kube/client.h"

namespace kube {

using std::chrono::milliseconds;

// The reason why the awaited state is not reached, such as "the port is closed".
struct NotYet {
  std::string why;
  bool operator==(const NotYet&) const = default;
};

// One attempt: returns std::nullopt on success. A base::Error that it throws ends the wait.
using Probe = std::function<std::optional<NotYet>(std::stop_token stop)>;

// Options of WaitUntil. The clock must outlive the wait.
struct WaitOptions {
  host::Clock& clock;
  milliseconds first{10};  // pause after the first attempt, doubled after each attempt
  // The longest pause. It is short, because the server is local and a user waits.
  milliseconds most{100};
  milliseconds limit{240'000};
  std::stop_token stop;
  // Called after a failed attempt, at most every `culprit_every`. An error that it returns is
  // permanent (for example, a container exits again and again) and ends the wait.
  std::function<std::optional<base::Error>()> culprit;
  milliseconds culprit_every{500};
};

// Returns how long the wait took. Throws kTimeout with the probe's last reason, base::Interrupted,
// or the error of WaitOptions::culprit.
std::chrono::nanoseconds WaitUntil(const Probe& probe, const WaitOptions& options);

// The growing pauses between retries. The clock must outlive it.
class Backoff {
 public:
  Backoff(const host::Clock& clock, milliseconds first, milliseconds most, milliseconds limit);
  // Returns the next pause: first `first`, then twice the previous pause, at most `most`, and never
  // beyond the limit. Returns std::nullopt after the limit.
  std::optional<milliseconds> Next();
  // Returns the time since the construction of this Backoff.
  std::chrono::nanoseconds Spent() const { return clock_.Steady() - begin_; }

 private:
  const host::Clock& clock_;
  milliseconds next_, most_, limit_;
  std::chrono::steady_clock::time_point begin_;
};

// Converts errors of a starting API server into reasons to retry. These are the errors of
// IsPassing, and kForbidden, because the server may not have loaded its RBAC rules yet. Other
// errors still end the wait.
Probe PatientProbe(Probe probe);

// Returns a probe that succeeds when GET `path` ("/livez") through the transport has the status
// 200.
Probe PathProbe(std::shared_ptr<Transport> transport, std::string path);

// Returns a probe that succeeds when the API server answers, even if it is still starting and
// refuses.
Probe AnswerProbe(std::shared_ptr<Transport> transport);

// Returns a probe that succeeds when GET `url` has the status 200. Does not verify the server's
// certificate: the kubelet, the scheduler and the controller manager on this machine use
// self-signed certificates.
Probe UrlProbe(std::string url, milliseconds timeout = std::chrono::seconds(10));

}  // namespace kube
