// SPDX-License-Identifier: Apache-2.0
// The components of a control plane that run as static Pods, a row for each: all that differs from
// one to the other except for how its Pod is rendered (reference: manifests.md §1, phases.md §6).
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

// Component is one that kubeadm runs as a static Pod.
enum class Component { kEtcd, kApiServer, kControllerManager, kScheduler };

// kComponents are all of them, each after what it talks to: the order to start and to restart in.
inline constexpr std::array kComponents = {Component::kEtcd, Component::kApiServer,
                                           Component::kControllerManager, Component::kScheduler};

// kControlPlane are the components of phase control-plane, in upstream's order.
inline constexpr std::array kControlPlane = {Component::kApiServer, Component::kControllerManager,
                                             Component::kScheduler};

// ComponentRow is what is known of a component whatever the configuration says. Its texts are
// literals.
struct ComponentRow {
  Component component;
  std::string_view name;     // of the Pod, the container and the program: "kube-apiserver"
  std::string_view section;  // of ClusterConfiguration, where its arguments stand: "apiServer"
  // The certificates (names of certs::Renewables) that it reads when it starts, in alphabetical
  // order; besides that in its kubeconfig file.
  std::span<const std::string_view> certificates;
  std::optional<std::string_view> kubeconfig;  // its file in /etc/kubernetes
  // Where it answers health checks over HTTPS: the flags --ADDRESS_FLAG and --secure-port, without
  // them `port`. etcd's health check is where its metrics are, without TLS.
  std::string_view address_flag;
  int port = 0;
  std::string_view health_path;
  std::chrono::seconds grace;  // the time it needs to end well
};
const ComponentRow& RowOf(Component component);

// Name is the row's.
std::string_view Name(Component component);

// ManifestPath is the component's file in the kubelet's directory of manifests.
fs::path ManifestPath(Component component);

// PodLabels selects the component's Pods on all nodes: "component=etcd,tier=control-plane".
std::string PodLabels(Component component);

// PodName is the component's mirror Pod of a node: "kube-apiserver-NODE".
std::string PodName(Component component, std::string_view node);

// CertificatesOf are the certificates that a component reads when it starts, its kubeconfig file's
// included, in alphabetical order.
std::vector<std::string_view> CertificatesOf(Component component);

// ComponentsUsing are the components that read any of the certificates with these names
// ("apiserver", "scheduler.conf") when they start, in the order of kComponents.
std::vector<Component> ComponentsUsing(std::span<const std::string_view> certificates);

}  // namespace components
