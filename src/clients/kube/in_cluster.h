// SPDX-License-Identifier: Apache-2.0
// Connections of a program that runs in a Pod.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "host/host.h"
#include "kube/client.h"
#include "kube/kubeconfig.h"

namespace kube {

// Returns a kubeconfig with the Pod's API server, and with the token and CA of the Pod's
// ServiceAccount. Outside of a Pod throws base::Error(kInvalid), with `remedy`. Source: Kubernetes
// documentation, "Accessing the Kubernetes API from a Pod".
Kubeconfig PodConfig(const host::Host& host, std::string_view remedy);

// Returns a transport that calls `make` again every five minutes and after a refused login. It also
// calls `make` after a failure of a connection that is at least ten seconds old. So the transport
// gets each new token of the ServiceAccount long before the old one expires, and a CA that `certs
// rotate-ca` has replaced. Throws the errors of `make`. The clock must outlive the transport.
std::shared_ptr<Transport> MakeFreshTransport(std::function<std::unique_ptr<Transport>()> make,
                                              const host::Clock& clock);

}  // namespace kube
