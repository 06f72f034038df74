// SPDX-License-Identifier: Apache-2.0
// The health check addresses of a control plane's components, from their manifests (reference:
// phases.md §6).
#pragma once

#include <string>
#include <vector>

#include "config/types.h"
#include "host/files.h"
#include "json/value.h"
#include "static_pods/static_pod.h"

namespace static_pods {

// A component's health check over HTTPS.
struct ComponentEndpoint {
  components::Component component;
  std::string address;  // IP or host name, without brackets
  std::string port;
  std::string path;

  // Returns "https://address:port/path".
  std::string Url() const;
};

// Reads the flags of the Pod of one of components::kControlPlane (--advertise-address or
// --bind-address, and --secure-port); missing flags have the component's default. The default of
// the API server is `local`.
ComponentEndpoint EndpointOf(components::Component component, const json::Value& pod,
                             const config::ApiEndpoint& local);

// Returns the address of a component's health check without client certificates: etcd's is the
// first of --listen-metrics-urls, else its metrics port on the loopback address.
std::string HealthUrl(components::Component component, const json::Value& pod,
                      const config::ApiEndpoint& local);

// Returns the address of etcd's metrics, which are available from its start on without a client
// certificate.
std::string EtcdMetricsUrl(const json::Value& pod);

// Reads the manifests of components::kControlPlane. Throws base::Error: kNotFound naming the
// missing file, kInvalid for a malformed one.
std::vector<ComponentEndpoint> ComponentEndpoints(const host::Files& files,
                                                  const config::ApiEndpoint& local);

}  // namespace static_pods
