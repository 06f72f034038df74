// SPDX-License-Identifier: Apache-2.0
// Connections by a user's kubeconfig, with login plugins.
#pragma once

#include <chrono>
#include <memory>

#include "host/host.h"
#include "kube/client.h"
#include "kube/exec_plugin.h"

namespace kubeconfigs {

// Returns a host that runs exec plugins on this machine without a shell. The timeout of a plugin is
// one minute, or five minutes if it may prompt at the terminal. The user sees its standard error;
// its standard output is never logged. Plugins also run in a dry run.
kube::PluginHost PluginsOn(const host::Host& host);

// Connects to the cluster, as the user of a kubeconfig's current context, as kubectl does. Throws
// base::Error(kInvalid) if the kubeconfig is unusable, naming the file if it has one (see
// LoadKubeconfig).
std::unique_ptr<kube::Transport> ConnectBy(const host::Host& host, const kube::Kubeconfig& config,
                                           kube::ConnectOptions options = {});
std::unique_ptr<kube::Transport> ConnectBy(const host::Host& host, const host::fs::path& kubeconfig,
                                           const kube::ConnectOptions& options = {});

// Connects as ConnectBy does. Returns a client that retries for at most `limit`, whatever the
// server answers. An interrupt of `host` ends its calls with base::Interrupted.
kube::Client ClientBy(const host::Host& host, const host::fs::path& kubeconfig,
                      std::chrono::milliseconds limit);

}  // namespace kubeconfigs
