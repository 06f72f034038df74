// SPDX-License-Identifier: Apache-2.0
// How to see that a component serves with what lies on disk now.
#pragma once

#include <functional>

#include "components/table.h"
#include "config/types.h"
#include "host/host.h"
#include "kube/wait.h"

namespace static_pods {

// ProbeOf makes the probe that tells whether a component serves with what lies on disk.
using ProbeOf = std::function<kube::Probe(components::Component component)>;

// ServingProbes: the API server and etcd answer their health checks and show the certificate that
// lies on disk; the others, whose serving certificates are their own business, are healthy, and the
// API server accepts their kubeconfig files. `host` outlives the probes; making one throws
// base::Error when its files cannot be read.
ProbeOf ServingProbes(const host::Host& host, const config::ClusterConfiguration& cluster,
                      const config::ApiEndpoint& local);

// UntilAnswered turns what passes while a server starts into a reason to try again; who is not
// trusted, or does not trust, and kCancelled stay errors.
kube::Probe UntilAnswered(kube::Probe probe);

}  // namespace static_pods
