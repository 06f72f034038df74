// SPDX-License-Identifier: Apache-2.0
// Probes for components that serve with the present files.
#pragma once

#include <functional>

#include "components/table.h"
#include "config/types.h"
#include "host/host.h"
#include "kube/wait.h"

namespace static_pods {

// Creates the probe that checks whether a component serves with the present files.
using ProbeOf = std::function<kube::Probe(components::Component component)>;

// Returns the probes. The API server and etcd must answer their health checks and present the
// certificate on disk. The other components manage their serving certificates themselves: they must
// be healthy, and the API server must accept their kubeconfig files. `host` must outlive the
// probes. Creating a probe throws base::Error, with the system error's kind, if the probe's files
// are unreadable.
ProbeOf ServingProbes(const host::Host& host, const config::ClusterConfiguration& cluster,
                      const config::ApiEndpoint& local);

// Wraps a probe: transient errors of a starting server become a reason to retry. Certificate errors
// remain errors.
kube::Probe UntilAnswered(kube::Probe probe);

}  // namespace static_pods
