// SPDX-License-Identifier: Apache-2.0
// The kubelet's service. Trouble with it never ends init or join, and no command but those that
// cannot do without demands that there is one: whoever runs the kubelet in another way knows how to
// restart it (reference: kubelet.md §4).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/host.h"

namespace kubelet {

// ServiceResult is the result of a request to the service.
struct ServiceResult {
  enum class Outcome { kDone, kNoInitSystem, kFailed, kNoService } outcome = Outcome::kDone;
  std::string problem;  // of kFailed
};

ServiceResult StopKubelet(host::Host& host);
// StartKubelet also makes a kubelet that runs already read its files again.
ServiceResult StartKubelet(host::Host& host);
inline ServiceResult RestartKubelet(host::Host& host) { return StartKubelet(host); }

// ProblemOf says why nothing was done; nothing when it was.
std::optional<std::string> ProblemOf(const ServiceResult& result);

// RestartIfService restarts the kubelet where the init system has a service of it, and tells
// whether it has. Throws base::Error when the service does not restart.
bool RestartIfService(host::Host& host);
// RequireRestart throws base::Error whenever the kubelet was not restarted, and says why.
void RequireRestart(host::Host& host);

// FindCommandLine returns what root's kubelet was started with, the program first. The process is
// the one that the service's manager names: any user can run a process that is called "kubelet".
// Returns std::nullopt when the service does not run, or its manager does not tell.
std::optional<std::vector<std::string>> FindCommandLine(host::Host& host);

// KubeletFacts are what systemd or OpenRC reports about the service, and the end of its log.
struct KubeletFacts {
  std::string active_state;  // "active", "activating", "failed", …
  std::string log;           // its last lines of its present life
};

// JudgeKubelet is the error that ends a wait for the kubelet: systemd has given it up, or it has
// ended twice for the same reason, which cannot pass (diagnosis/causes.h), and does not run. One
// that ends because the container runtime starts late, or for a reason that nobody knows, may still
// come up. Ends are counted in its log: systemd goes on counting where a service is stopped between
// two tries and started again. The text ends with its last words.
std::optional<base::Error> JudgeKubelet(const KubeletFacts& facts);

// KubeletCulprit asks systemd, or OpenRC's supervisor, and judges; it never finds anything on a
// host with neither. What the kubelet logged before `since`, or before the last of the files that
// it reads was written, is an earlier life's. (OpenRC has a file; a supervisor counts from its own
// start, and whatever ended twice since is at the end of that.) `host` outlives it.
std::function<std::optional<base::Error>()> KubeletCulprit(
    host::Host& host, std::chrono::system_clock::time_point since = {});

}  // namespace kubelet
