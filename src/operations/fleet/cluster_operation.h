// SPDX-License-Identifier: Apache-2.0
// ClusterOperation: the object that says what is done to the nodes of a cluster, and in which order
// (docs/fleet.md).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"
#include "json/fields.h"
#include "json/value.h"
#include "kube/client.h"

namespace fleet {

inline constexpr kube::Resource kClusterOperation{"operations.slipway", "v1alpha1",
                                                  "clusteroperations", "ClusterOperation", false};

// An upgrade of every node by one minor version, or to another patch of the same one.
struct UpgradeAction {
  std::string version;          // "v1.37.2"
  std::string kubelet_command;  // a shell command that upgrades a node's kubelet; "": none
  std::vector<std::string> ignore_preflight_errors;
  static std::span<const json::Field> Fields();
};

// A renewal of the certificates of all control-plane nodes, and the restart that applies them.
struct RenewAction {
  std::string if_expires_within;  // "30d": renew only what expires earlier; "": all
  static std::span<const json::Field> Fields();
};

struct WorkerRules {
  std::int32_t max_unavailable = 1;  // workers in change or not Ready at a time
  static std::span<const json::Field> Fields();
};

// The first workers, and the pause before the others.
struct CanaryRules {
  std::int32_t nodes = 0;
  base::Duration soak{0};
  static std::span<const json::Field> Fields();
};

struct DrainRules {
  std::optional<bool> enabled;                       // not set: only for an upgrade
  bool force = false;                                // also evicts Pods that no controller replaces
  std::optional<std::int32_t> grace_period_seconds;  // not set: each Pod's own
  base::Duration timeout = std::chrono::minutes(10);  // of one node
  static std::span<const json::Field> Fields();
};

struct OperationSpec {
  std::optional<UpgradeAction> upgrade;
  std::optional<RenewAction> renew_certificates;
  std::map<std::string, std::string> node_selector;  // labels of the nodes; empty: all
  WorkerRules workers;
  CanaryRules canary;
  DrainRules drain;
  base::Duration node_timeout = std::chrono::minutes(30);  // of the work on one node
  bool paused = false;                                     // no further node is begun
  static std::span<const json::Field> Fields();
};

// A decoded object.
struct ClusterOperation {
  std::string name;
  std::string uid;  // "" for an object of a file
  OperationSpec spec;

  bool Drains() const { return spec.drain.enabled.value_or(spec.upgrade.has_value()); }
  // Returns "upgrade to v1.37.2" or "renewal of certificates".
  std::string Title() const;
  // Identifies the spec without `paused`: two objects of one name with the same result have the
  // same Jobs.
  std::string SpecHash() const;
};

// Decodes an object, and validates it by the same rules as the CustomResourceDefinition. Throws
// base::Error(kInvalid) with all problems.
ClusterOperation ParseOperation(const json::Value& object);

}  // namespace fleet
