// SPDX-License-Identifier: Apache-2.0
// Removals in each minor version of Kubernetes: settings that keep the new version from starting,
// and stored objects that it cannot read. Each row was compared with the sources of its release
// (features, flags and API types of each component).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace releases {

// Rows of tables in the code: their strings and lists are literals.

// A component's feature gate with only one remaining value.
struct LockedGate {
  std::string_view name;
  bool value;
};

// An API group with a version: "scheduling.k8s.io" and "v1alpha2".
struct ApiVersion {
  std::string_view group;
  std::string_view version;
  bool operator==(const ApiVersion&) const = default;
};

// A value of the environment variable GODEBUG that selects a behaviour which Go has removed.
struct GodebugValue {
  std::string_view name;
  std::string_view value;
};

// The features that a release removes, compared with the previous minor version. Argument names are
// without dashes; a final "*" matches any suffix.
struct Dropped {
  int minor;
  // Feature gates of API server, controller manager, scheduler, kubelet and kube-proxy. These
  // components share one list of gates.
  std::span<const std::string_view> gates;
  std::span<const LockedGate> locked_gates;
  // Removed arguments. API server, controller manager and scheduler have lost none since v1.34.
  std::span<const std::string_view> etcd_arguments;  // of the etcd of that release
  std::span<const std::string_view> kubelet_arguments;
  // API versions whose stored objects can no longer be read, not even through another version.
  std::span<const ApiVersion> stored_apis;
  // API versions that the API server has removed, including the versions in `stored_apis`. The API
  // server does not start if its argument runtime-config names such a version.
  std::span<const ApiVersion> unknown_apis;
  // Removed admission plugins. The API server does not start if an argument enables or disables
  // such a plugin.
  std::span<const std::string_view> admission_plugins;
  // Kubernetes' programs of that release exit at once if their environment has one of these values.
  std::span<const GodebugValue> godebug_values = {};
  // True if the kubelet does not start when its ID range for user namespaces exceeds the greatest
  // ID, 4294967294.
  bool checks_id_range = false;
};

// Sorted by minor. The oldest release has no row, because its predecessor is unknown.
std::span<const Dropped> AllDropped();

// Returns why a component of that minor version refuses the gate: "v1.35 has no such feature gate",
// "v1.36 has it locked to true". The first release that refuses the gate may be older. Returns
// std::nullopt if the component accepts the gate.
std::optional<std::string> GateTrouble(int minor, std::string_view name, bool value);

// Returns the oldest patch version that every member must have before members of etcd 3.`minor`
// join, according to etcd's upgrade guide: "3.6.11" for 7. Returns "" if the guide requires none.
std::string_view OldestEtcdFor(int minor);

// Returns whether an argument matches one of the names, by the rule of Dropped.
bool Matches(std::span<const std::string_view> names, std::string_view argument);

}  // namespace releases
