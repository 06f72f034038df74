// SPDX-License-Identifier: Apache-2.0
#include "static_pods/endpoints.h"

#include <fmt/core.h>

#include "base/error.h"
#include "net/host_port.h"

namespace static_pods {

using components::Component;

namespace {

// Returns etcd's address for clients without a certificate.
std::string EtcdOrigin(const json::Value& pod) {
  const components::ComponentRow& row = RowOf(Component::kEtcd);
  const std::string urls = CommandArg(pod, row.address_flag).value_or("");
  const std::string first = urls.substr(0, urls.find(','));
  return first.empty() ? fmt::format("http://127.0.0.1:{}", row.port) : first;
}

}  // namespace

std::string ComponentEndpoint::Url() const {
  return fmt::format("https://{}{}", net::HostPort{address, port}.Text(), path);
}

ComponentEndpoint EndpointOf(Component component, const json::Value& pod,
                             const config::ApiEndpoint& local) {
  const components::ComponentRow& row = RowOf(component);
  const std::string address =
      component == Component::kApiServer ? local.advertise_address : "127.0.0.1";
  return {.component = component,
          .address = CommandArg(pod, row.address_flag).value_or(address),
          .port = CommandArg(pod, "secure-port").value_or(std::to_string(row.port)),
          .path = std::string(row.health_path)};
}

std::string HealthUrl(Component component, const json::Value& pod,
                      const config::ApiEndpoint& local) {
  if (component != Component::kEtcd) {
    return EndpointOf(component, pod, local).Url();
  }
  return fmt::format("{}{}", EtcdOrigin(pod), RowOf(component).health_path);
}

std::string EtcdMetricsUrl(const json::Value& pod) { return EtcdOrigin(pod) + "/metrics"; }

std::vector<ComponentEndpoint> ComponentEndpoints(const host::Files& files,
                                                  const config::ApiEndpoint& local) {
  std::vector<ComponentEndpoint> endpoints;
  for (const Component component : components::kControlPlane) {
    const auto pod = ReadManifest(files, component);
    if (!pod) {
      throw base::Error(
          base::Error::Kind::kNotFound,
          fmt::format("{}: no such file or directory", ManifestPath(component).string()));
    }
    endpoints.push_back(EndpointOf(component, *pod, local));
  }
  return endpoints;
}

}  // namespace static_pods
