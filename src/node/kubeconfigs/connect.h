// SPDX-License-Identifier: Apache-2.0
// Connections by the kubeconfig that a user names: with the programs by which users log in.
#pragma once

#include <chrono>
#include <memory>

#include "host/host.h"
#include "kube/client.h"
#include "kube/exec_plugin.h"

namespace kubeconfigs {

// PluginsOn runs programs on this machine, without a shell, for at most a minute, or five when they
// may ask at the terminal. What they write to standard error is the user's to read; their answer
// stands in no log. Dry runs have them run, too.
kube::PluginHost PluginsOn(const host::Host& host);

// ConnectBy talks to the cluster and as the user of a kubeconfig's current context, as kubectl
// does. Throws base::Error when it cannot be used; for a file (see LoadKubeconfig) it names that.
std::unique_ptr<kube::Transport> ConnectBy(const host::Host& host, const kube::Kubeconfig& config,
                                           kube::ConnectOptions options = {});
std::unique_ptr<kube::Transport> ConnectBy(const host::Host& host, const host::fs::path& kubeconfig,
                                           const kube::ConnectOptions& options = {});

// ClientBy is a client on such a connection that tries again for at most `limit`, whatever the
// server says.
kube::Client ClientBy(const host::Host& host, const host::fs::path& kubeconfig,
                      std::chrono::milliseconds limit);

}  // namespace kubeconfigs
