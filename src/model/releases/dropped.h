// SPDX-License-Identifier: Apache-2.0
// What a minor version of Kubernetes no longer has that the one before it had: what is set for the
// old one and keeps the new one from starting, or from reading what is stored. Held against the
// sources of the releases in the table (features, flags and API types of each component).
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace releases {

// These are rows of tables in the code: their texts and lists are literals.

// LockedGate is a component's feature gate that can only have one value any more.
struct LockedGate {
  std::string_view name;
  bool value;
};

// ApiVersion is one of an API group, "scheduling.k8s.io" and "v1alpha2".
struct ApiVersion {
  std::string_view group;
  std::string_view version;
  bool operator==(const ApiVersion&) const = default;
};

// Dropped is what ended with the step to `minor`. Names are those of arguments without the dashes;
// one that ends in "*" stands for all that begin so.
struct Dropped {
  int minor;
  // Of API server, controller manager, scheduler, kubelet and kube-proxy, which share one list.
  std::span<const std::string_view> gates;
  std::span<const LockedGate> locked_gates;
  // Arguments: API server, controller manager and scheduler have lost none since v1.34.
  std::span<const std::string_view> etcd_arguments;  // of the etcd of that release
  std::span<const std::string_view> kubelet_arguments;
  // Objects of these cannot be read any more, in no other version either.
  std::span<const ApiVersion> stored_apis;
  // The API server has none of these any more, those of `stored_apis` among them: it does not start
  // when its argument runtime-config names one.
  std::span<const ApiVersion> unknown_apis;
  // Nor when an admission plugin is to be switched on or off that it does not have.
  std::span<const std::string_view> admission_plugins;
};

// AllDropped is sorted by minor. The oldest release has no row: nothing is known of the one before.
std::span<const Dropped> AllDropped();

// GateTrouble says what a component of that minor has against the gate, whose removal may be older
// than the minor: "v1.35 has no such feature gate", "v1.36 has it locked to true". Nothing when the
// component takes it.
std::optional<std::string> GateTrouble(int minor, std::string_view name, bool value);

// Matches tells whether an argument is one of the names, by the rule of Dropped.
bool Matches(std::span<const std::string_view> names, std::string_view argument);

}  // namespace releases
