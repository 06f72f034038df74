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

// HealthzUrl is "http://<healthzBindAddress>:<healthzPort>/healthz" of a KubeletConfiguration, with
// the kubelet's defaults 127.0.0.1 and 10248; nothing when the port is 0: it does not serve it.
std::optional<std::string> HealthzUrl(const json::Value& kubelet_config);

// HealthzUrlHere is the same of this node's kubelet, whose arguments count more than the
// configuration. `kubelet_config` may be broken: it runs with what it read before.
std::optional<std::string> HealthzUrlHere(const host::Files& files,
                                          const json::Value& kubelet_config);

// RequireRunning waits a moment for this node's kubelet to answer its health check; where it serves
// none it does nothing. Throws base::Error, kTimeout or why
// it ends again and again, kCancelled.
void RequireRunning(host::Host& host, const std::stop_token& stop);

// IsClientConfig tells whether a kubeconfig's text can be used as it stands: a current context with
// a cluster, a server and credentials.
bool IsClientConfig(std::string_view kubeconfig);

// WaitForBootstrap waits until the kubelet has written a usable /etc/kubernetes/kubelet.conf, and
// the certificate which that names: the kubelet writes the former before it has the latter.
// `culprit` is asked after every change and once a second; what it finds is thrown.
host::WaitResult WaitForBootstrap(const host::Files& files, const host::WaitLimits& limits,
                                  const std::function<std::optional<base::Error>()>& culprit = {});

// Bootstrapping is a wait on the host itself, with its kubelet as the culprit.
struct Bootstrapping {
  host::Host& host;
  std::chrono::system_clock::time_point since;  // what the kubelet logged before is not a culprit
  base::Duration limit;
  std::stop_token stop;
};

// IsBootstrapped waits and tells whether it has happened. Throws base::Error(kCancelled) when
// stopped, and what the culprit is. RequireBootstrap also throws base::Error(kTimeout), saying
// where to look, when it has not.
bool IsBootstrapped(const Bootstrapping& wait);
void RequireBootstrap(const Bootstrapping& wait);

}  // namespace kubelet
