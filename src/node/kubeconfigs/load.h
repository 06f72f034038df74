// SPDX-License-Identifier: Apache-2.0
// Reading a kubeconfig and what it names from this machine's files.
#pragma once

#include <string>

#include "host/host.h"
#include "kube/kubeconfig.h"

namespace kubeconfigs {

// LoadKubeconfig reads a kubeconfig and the files that it names: of the current context they have
// to be there. A relative name is looked for beside the kubeconfig and then in the working
// directory, a program's beside it alone. Throws base::Error naming the path.
kube::Kubeconfig LoadKubeconfig(const host::Files& files, const host::fs::path& path);

// UserPath is where the kubeconfig of who runs this lies, by the rules of kubectl: the first that
// exists of those that KUBECONFIG lists (without it ~/.kube/config) and /etc/kubernetes/admin.conf;
// where there is none, the first of all.
host::fs::path UserPath(const host::Host& host);

// WithServer is the kubeconfig with every cluster's server replaced.
kube::Kubeconfig WithServer(kube::Kubeconfig config, const std::string& server);

}  // namespace kubeconfigs
