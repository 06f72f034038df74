// SPDX-License-Identifier: Apache-2.0
// The components of a control plane that run as static Pods, one row each, with all their
// differences except the rendering of their Pods (reference: manifests.md §1, phases.md §6).
#pragma once

#include <array>
#include <chrono>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace components {

namespace fs = std::filesystem;

// A component that kubeadm runs as a static Pod.
enum class Component { kEtcd, kApiServer, kControllerManager, kScheduler };

// All components, each after its dependencies. Components are started and restarted in this order.
inline constexpr std::array kComponents = {Component::kEtcd, Component::kApiServer,
                                           Component::kControllerManager, Component::kScheduler};

// The components of phase control-plane, in upstream's order.
inline constexpr std::array kControlPlane = {Component::kApiServer, Component::kControllerManager,
                                             Component::kScheduler};

// The properties of a component that do not depend on the configuration. Its strings are literals.
struct ComponentRow {
  Component component;
  std::string_view name;     // of the Pod, the container and the program: "kube-apiserver"
  std::string_view section;  // of ClusterConfiguration, with its arguments: "apiServer"
  // The certificates (names of certs::Renewables) that the component reads when it starts, in
  // alphabetical order. The certificate in its kubeconfig file is not among them.
  std::span<const std::string_view> certificates;
  std::optional<std::string_view> kubeconfig;  // its file in /etc/kubernetes
  // The component's health checks use HTTPS at the address of the flags --ADDRESS_FLAG and
  // --secure-port (default `port`). etcd's health check uses plain HTTP at its metrics address.
  std::string_view address_flag;
  int port = 0;
  std::string_view health_path;
  std::chrono::seconds grace;  // from SIGTERM to SIGKILL
};
const ComponentRow& RowOf(Component component);

// Returns the row's name.
std::string_view Name(Component component);

// Returns the component's file in the kubelet's directory of manifests.
fs::path ManifestPath(Component component);

// Returns the selector of the component's Pods on all nodes: "component=etcd,tier=control-plane".
std::string PodLabels(Component component);

// Returns the name of the component's mirror Pod on a node: "kube-apiserver-NODE".
std::string PodName(Component component, std::string_view node);

// Returns the certificates that a component reads when it starts, in alphabetical order. The client
// certificate of the component's kubeconfig file is included.
std::vector<std::string_view> CertificatesOf(Component component);

// Returns the components that read any of the certificates with these names ("apiserver",
// "scheduler.conf") when they start, in the order of kComponents.
std::vector<Component> ComponentsUsing(std::span<const std::string_view> certificates);

}  // namespace components
