// SPDX-License-Identifier: Apache-2.0
// The kubelet's service. Failures of the service never end init or join. Only commands that need
// the service require it, because a user who runs the kubelet in another way can restart it
// (reference: kubelet.md §4).
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "host/host.h"

namespace kubelet {

// The result of a request to the service.
struct ServiceResult {
  enum class Outcome { kDone, kNoInitSystem, kFailed, kNoService } outcome = Outcome::kDone;
  std::string problem;  // why it failed, for kFailed
};

ServiceResult StopKubelet(host::Host& host);
// Starts the kubelet; a running kubelet restarts, and so reloads its files.
ServiceResult StartKubelet(host::Host& host);
inline ServiceResult RestartKubelet(host::Host& host) { return StartKubelet(host); }

// Returns why the request was not carried out; std::nullopt if it was.
std::optional<std::string> ProblemOf(const ServiceResult& result);

// Restarts the kubelet if the init system has a kubelet service. Returns whether that service
// exists. Throws base::Error(kOther) if the restart fails.
bool RestartIfService(host::Host& host);
// Restarts the kubelet. Throws base::Error(kOther), with the reason, if it was not restarted.
void RequireRestart(host::Host& host);

// Returns the command line of root's kubelet, with the program as first element. Uses the process
// id of the service manager, because any user can run a process called "kubelet". Returns
// std::nullopt if the service does not run, or if the service manager reports no process.
std::optional<std::vector<std::string>> FindCommandLine(host::Host& host);

// The state of the service according to systemd or OpenRC, and the end of its log.
struct KubeletFacts {
  std::string active_state;  // "active", "activating", "failed", …
  std::string log;           // the last lines since its start
};

// Returns the error that ends a wait for the kubelet; std::nullopt if the kubelet may still come
// up. It is an error if systemd no longer restarts the kubelet. It is also an error if the kubelet
// does not run and its last two exits had the same permanent cause (components/causes.h). After an
// exit for an unknown reason, or because the container runtime was not ready yet, the kubelet may
// recover. Exits are counted in the kubelet's log, because systemd's counter is kept across a stop
// and a start. The error's message ends with the kubelet's reason line.
std::optional<base::Error> JudgeKubelet(const KubeletFacts& facts);

// Returns a function that queries systemd or OpenRC's supervisor and calls JudgeKubelet. On a host
// with neither, the function returns std::nullopt. It ignores log lines from before `since`, and
// from before the last write of the kubelet's files: an earlier run of the kubelet wrote these
// lines. (OpenRC has only a log file. Its supervisor counts exits since its own start, and the last
// two exits are at the end of the file.) `host` must outlive the function.
std::function<std::optional<base::Error>()> KubeletCulprit(
    host::Host& host, std::chrono::system_clock::time_point since = {});

// Returns the relevant lines of the log of a kubelet that does not run; "" if it runs, or if its
// log cannot be read. Ignores lines as KubeletCulprit does.
std::string LastWords(host::Host& host, std::chrono::system_clock::time_point since);

}  // namespace kubelet
