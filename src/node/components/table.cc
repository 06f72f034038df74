// SPDX-License-Identifier: Apache-2.0
#include "components/table.h"

#include <fmt/core.h>

#include <algorithm>

#include "config/paths.h"

namespace components {
namespace {

constexpr std::array<std::string_view, 2> kEtcdCertificates = {"etcd-peer", "etcd-server"};
constexpr std::array<std::string_view, 4> kApiServerCertificates = {
    "apiserver", "apiserver-etcd-client", "apiserver-kubelet-client", "front-proxy-client"};

// The kubelet's own grace period for Pods that name none.
constexpr std::chrono::seconds kGrace{30};
// The API server stops listening immediately on shutdown, and finishes its running requests. All
// requests except large lists take less than a second, by the API server's own objectives
// (github.com/kubernetes/community, sig-scalability/slos). Then it waits for watches, which do not
// end by themselves, and serves no client during this wait.
constexpr std::chrono::seconds kApiServerGrace{3};

constexpr std::array<ComponentRow, 4> kRows = {{
    {.component = Component::kEtcd,
     .name = config::kEtcd,
     .section = "etcd.local",
     .certificates = kEtcdCertificates,
     .kubeconfig = std::nullopt,
     .address_flag = "listen-metrics-urls",
     .port = config::kEtcdMetricsPort,
     .health_path = "/health",
     .grace = kGrace},
    {.component = Component::kApiServer,
     .name = config::kApiServer,
     .section = "apiServer",
     .certificates = kApiServerCertificates,
     .kubeconfig = std::nullopt,
     .address_flag = "advertise-address",
     .port = 6443,
     .health_path = "/livez",
     .grace = kApiServerGrace},
    {.component = Component::kControllerManager,
     .name = config::kControllerManager,
     .section = "controllerManager",
     .certificates = {},
     .kubeconfig = config::kControllerManagerConf,
     .address_flag = "bind-address",
     .port = config::kControllerManagerPort,
     .health_path = "/healthz",
     .grace = kGrace},
    {.component = Component::kScheduler,
     .name = config::kScheduler,
     .section = "scheduler",
     .certificates = {},
     .kubeconfig = config::kSchedulerConf,
     .address_flag = "bind-address",
     .port = config::kSchedulerPort,
     .health_path = "/livez",
     .grace = kGrace},
}};

}  // namespace

const ComponentRow& RowOf(Component component) {
  return kRows.at(static_cast<std::size_t>(component));
}

std::string_view Name(Component component) { return RowOf(component).name; }

fs::path ManifestPath(Component component) {
  return fs::path(config::kManifestsDir) / fmt::format("{}.yaml", Name(component));
}

std::string PodLabels(Component component) {
  return fmt::format("component={},tier=control-plane", Name(component));
}

std::string PodName(Component component, std::string_view node) {
  return fmt::format("{}-{}", Name(component), node);
}

std::vector<std::string_view> CertificatesOf(Component component) {
  const ComponentRow& row = RowOf(component);
  std::vector<std::string_view> certificates(row.certificates.begin(), row.certificates.end());
  if (row.kubeconfig) {
    certificates.push_back(*row.kubeconfig);
  }
  return certificates;
}

std::vector<Component> ComponentsUsing(std::span<const std::string_view> certificates) {
  std::vector<Component> components;
  std::ranges::copy_if(kComponents, std::back_inserter(components), [&](Component component) {
    return std::ranges::any_of(CertificatesOf(component), [&](std::string_view name) {
      return std::ranges::find(certificates, name) != certificates.end();
    });
  });
  return components;
}

}  // namespace components
