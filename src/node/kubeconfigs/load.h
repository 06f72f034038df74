// SPDX-License-Identifier: Apache-2.0
// Reading a kubeconfig and its referenced files from this machine.
#pragma once

#include <string>

#include "host/host.h"
#include "kube/kubeconfig.h"

namespace kubeconfigs {

// Reads a kubeconfig and the files that it names. The files of the current context must exist. A
// relative path is resolved next to the kubeconfig, then in the working directory; the path of a
// program only next to the kubeconfig. Throws base::Error naming the path: kNotFound without the
// file, kInvalid if it is unusable.
kube::Kubeconfig LoadKubeconfig(const host::Files& files, const host::fs::path& path);

// Returns the path of the current user's kubeconfig, by kubectl's rules: the first existing one in
// KUBECONFIG (by default ~/.kube/config) and /etc/kubernetes/admin.conf; if none exists, the first
// path.
host::fs::path UserPath(const host::Host& host);

// Returns the kubeconfig with every cluster's server replaced.
kube::Kubeconfig WithServer(kube::Kubeconfig config, const std::string& server);

}  // namespace kubeconfigs
