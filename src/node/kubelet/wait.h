// SPDX-License-Identifier: Apache-2.0
// Waiting for the kubelet (reference: kubelet.md §5).
#pragma once

#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "base/duration.h"
#include "base/error.h"
#include "host/host.h"
#include "host/watch.h"
#include "json/fwd.h"

namespace kubelet {

// Returns "http://<healthzBindAddress>:<healthzPort>/healthz" of a KubeletConfiguration, with the
// kubelet's defaults 127.0.0.1 and 10248; std::nullopt if the port is 0, which turns the health
// check off.
std::optional<std::string> HealthzUrl(const json::Value& kubelet_config);

// Returns the health check's URL of this node's kubelet, whose arguments override the
// configuration. `kubelet_config` may be malformed: then the kubelet still runs with the earlier
// content of its file.
std::optional<std::string> HealthzUrlHere(const host::Files& files,
                                          const json::Value& kubelet_config);

// Waits at most a minute until this node's kubelet answers its health check. Returns at once if the
// health check is turned off. Throws base::Error(kTimeout), the error of JudgeKubelet for a crash
// loop, or base::Interrupted.
void RequireRunning(host::Host& host, const std::stop_token& stop);

// Returns whether a kubeconfig is usable: a current context with a cluster, a server and
// credentials.
bool IsClientConfig(std::string_view kubeconfig);

// Waits until the kubelet has written a usable /etc/kubernetes/kubelet.conf and the certificate
// that this file names. The kubelet writes the certificate after the kubeconfig. Calls `culprit`
// after every change and once a second, and throws the error that it returns.
host::WaitResult WaitForBootstrap(const host::Files& files, const host::WaitLimits& limits,
                                  const std::function<std::optional<base::Error>()>& culprit = {});

// The inputs of a wait for the kubelet of `host`. The error of JudgeKubelet ends the wait early.
struct Bootstrapping {
  host::Host& host;
  std::chrono::system_clock::time_point since;  // earlier log lines of the kubelet do not count
  base::Duration limit;
  std::stop_token stop;
};

// IsBootstrapped waits as WaitForBootstrap does, and returns whether the files exist. It throws
// base::Interrupted after a stop request, and the error that the culprit returns. RequireBootstrap
// also throws base::Error(kTimeout), with a hint, if the files do not exist.
bool IsBootstrapped(const Bootstrapping& wait);
void RequireBootstrap(const Bootstrapping& wait);

}  // namespace kubelet
