// SPDX-License-Identifier: Apache-2.0
// Reading a kubeconfig and its referenced files from this machine.
#pragma once

#include <string>

#include "host/host.h"
#include "kube/kubeconfig.h"

namespace kubeconfigs {

// Reads a kubeconfig and the files that it names. The files of the current context must exist. A
// relative path is searched in the kubeconfig's directory, then in the working directory; the
// relative path of an exec plugin only in the kubeconfig's directory. Throws base::Error naming the
// path: kNotFound if the file is missing, kInvalid if it is unusable.
kube::Kubeconfig LoadKubeconfig(const host::Files& files, const host::fs::path& path);

// Returns the path of the current user's kubeconfig: the first existing one of the files in
// KUBECONFIG (by default ~/.kube/config) and /etc/kubernetes/admin.conf. If none exists, returns
// the first path.
host::fs::path UserPath(const host::Host& host);

// Returns the kubeconfig with every cluster's server replaced.
kube::Kubeconfig WithServer(kube::Kubeconfig config, const std::string& server);

}  // namespace kubeconfigs
