#include "static_pods/endpoints.h"

#include <fmt/core.h>

#include <algorithm>

#include "config/paths.h"
#include "net/host_port.h"

namespace static_pods {
namespace {

// EndpointRow is what a component's flags are called and what holds without them.
struct EndpointRow {
  Component component;
  std::string_view address_flag;
  int port;
  std::string_view path;
};
constexpr std::array<EndpointRow, 3> kRows{{
    {Component::kApiServer, "advertise-address", 6443, "/livez"},
    {Component::kControllerManager, "bind-address", config::kControllerManagerPort, "/healthz"},
    {Component::kScheduler, "bind-address", config::kSchedulerPort, "/livez"},
}};

}  // namespace

std::string ComponentEndpoint::Url() const {
  return fmt::format("https://{}{}", net::HostPort{address, port}.Text(), path);
}

ComponentEndpoint EndpointOf(Component component, const json::Value& pod,
                             const config::ApiEndpoint& local) {
  const EndpointRow& row = *std::ranges::find(kRows, component, &EndpointRow::component);
  const std::string address =
      component == Component::kApiServer ? local.advertise_address : "127.0.0.1";
  return {.component = component,
          .address = CommandArg(pod, row.address_flag).value_or(address),
          .port = CommandArg(pod, "secure-port").value_or(std::to_string(row.port)),
          .path = std::string(row.path)};
}

std::vector<ComponentEndpoint> ComponentEndpoints(const host::Files& files,
                                                  const config::ApiEndpoint& local) {
  std::vector<ComponentEndpoint> endpoints;
  for (const Component component : kControlPlane) {
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
