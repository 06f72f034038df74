// SPDX-License-Identifier: Apache-2.0
// Waiting for something to become healthy: tried at once, then ever less often, ended early by a
// culprit. Nothing here sleeps blindly; a stop token ends every wait at once.
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

// NotYet says why what is waited for is not there: "the port is closed".
struct NotYet {
  std::string why;
  bool operator==(const NotYet&) const = default;
};

// Probe tries once: nothing when what is waited for is there. A base::Error that it throws ends the
// wait.
using Probe = std::function<std::optional<NotYet>(std::stop_token stop)>;

// WaitOptions of WaitUntil. The clock outlives the wait.
struct WaitOptions {
  host::Clock& clock;
  milliseconds first{10};  // pause after the first try; doubles …
  milliseconds most{100};  // … up to this: what is asked is near, and whoever waits, waits for it
  milliseconds limit{240'000};
  std::stop_token stop;
  // Looked at after a failed try, at most every `culprit_every`: something that went wrong for good
  // (a container that exits again and again) ends the wait with this error.
  std::function<std::optional<base::Error>()> culprit;
  milliseconds culprit_every{500};
};

// WaitUntil returns the time it took. Throws kTimeout with the probe's last reason, kCancelled, or
// the culprit.
std::chrono::nanoseconds WaitUntil(const Probe& probe, const WaitOptions& options);

// Backoff says how long to pause before each further try. The clock outlives it.
class Backoff {
 public:
  Backoff(const host::Clock& clock, milliseconds first, milliseconds most, milliseconds limit);
  // Next doubles from `first` up to `most`, never beyond the limit; nothing when that is over.
  std::optional<milliseconds> Next();
  // Spent is the time since it was made.
  std::chrono::nanoseconds Spent() const { return clock_.Steady() - begin_; }

 private:
  const host::Clock& clock_;
  milliseconds next_, most_, limit_;
  std::chrono::steady_clock::time_point begin_;
};

// PatientProbe turns what an API server answers while it comes up (IsPassing, and kForbidden: it
// does not know the rules of access yet) into a reason to try again; other errors end the wait as
// before.
Probe PatientProbe(Probe probe);

// PathProbe: GET `path` ("/livez") through a transport answers with status 200.
Probe PathProbe(std::shared_ptr<Transport> transport, std::string path);

// AnswerProbe: the API server speaks to us, though it may still be coming up and refuse.
Probe AnswerProbe(std::shared_ptr<Transport> transport);

// UrlProbe: GET `url` answers with status 200. A server certificate is not verified: these are the
// self-signed ones of kubelet, scheduler and controller manager on this machine.
Probe UrlProbe(std::string url, milliseconds timeout = std::chrono::seconds(10));

}  // namespace kube
