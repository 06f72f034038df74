// SPDX-License-Identifier: Apache-2.0
// Where the components of a control plane answer health checks, read from their manifests
// (reference: phases.md §6).
#pragma once

#include <string>
#include <vector>

#include "config/types.h"
#include "host/files.h"
#include "json/value.h"
#include "static_pods/static_pod.h"

namespace static_pods {

// ComponentEndpoint is a component's health check over HTTPS.
struct ComponentEndpoint {
  components::Component component;
  std::string address;  // IP or host name, without brackets
  std::string port;
  std::string path;

  // Url is "https://address:port/path".
  std::string Url() const;
};

// EndpointOf reads the flags of the Pod of one of components::kControlPlane (--advertise-address or
// --bind-address, and --secure-port); what they do not say is the component's default, for the API
// server `local`.
ComponentEndpoint EndpointOf(components::Component component, const json::Value& pod,
                             const config::ApiEndpoint& local);

// HealthUrl is where any component answers a health check that asks for no certificate: etcd's is
// the first of --listen-metrics-urls, else its port of metrics on the loopback address.
std::string HealthUrl(components::Component component, const json::Value& pod,
                      const config::ApiEndpoint& local);

// EtcdMetricsUrl is where etcd shows its metrics, which asks for no certificate either, from its
// start on.
std::string EtcdMetricsUrl(const json::Value& pod);

// ComponentEndpoints reads the manifests of components::kControlPlane. Throws base::Error:
// kNotFound naming the missing file, kInvalid for a broken one.
std::vector<ComponentEndpoint> ComponentEndpoints(const host::Files& files,
                                                  const config::ApiEndpoint& local);

}  // namespace static_pods
