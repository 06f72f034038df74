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

// Returns the address and port of a component of components::kControlPlane, from its Pod's flags:
// --secure-port, and --advertise-address or --bind-address. A missing flag has the component's
// default. The API server's default is `local`.
ComponentEndpoint EndpointOf(components::Component component, const json::Value& pod,
                             const config::ApiEndpoint& local);

// Returns the URL of a component's health check that needs no client certificate. For etcd it is
// the first URL of --listen-metrics-urls, by default the metrics port of the loopback address.
std::string HealthUrl(components::Component component, const json::Value& pod,
                      const config::ApiEndpoint& local);

// Returns the URL of etcd's metrics. etcd serves them from its start, without a client certificate.
std::string EtcdMetricsUrl(const json::Value& pod);

// Reads the manifests of components::kControlPlane. Throws base::Error: kNotFound naming the
// missing file, kInvalid for a malformed one.
std::vector<ComponentEndpoint> ComponentEndpoints(const host::Files& files,
                                                  const config::ApiEndpoint& local);

}  // namespace static_pods
