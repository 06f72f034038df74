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
#include "fleet/health_gates.h"
#include "fleet/windows.h"
#include "json/fields.h"
#include "json/value.h"
#include "kube/client.h"

namespace fleet {

inline constexpr kube::Resource kClusterOperation{"operations.slipway", "v1alpha1",
                                                  "clusteroperations", "ClusterOperation", false};

// An upgrade of every node, over one or several minor versions.
struct UpgradeAction {
  std::string version;          // "v1.37.2"
  std::string kubelet_command;  // a shell command that upgrades a node's kubelet; "": none
  std::string kubelet_image;    // an image of kubeadm that also has /kubelets (on_host.h); "": none
  std::vector<std::string> ignore_preflight_errors;
  bool allow_experimental_upgrades = false;  // also to alpha, beta and candidate versions
  // Every node runs `kubeadm upgrade node`, none `upgrade apply`. For clusters whose stored
  // configuration and add-ons another controller upgrades, such as Cluster API.
  bool nodes_only = false;
  static std::span<const json::Field> Fields();

  bool UpgradesKubelets() const { return !kubelet_command.empty() || !kubelet_image.empty(); }
};

// A renewal of the certificates of all control-plane nodes, and the restart that applies them.
struct RenewAction {
  // Certificates that expire later are not renewed: "30d". "" renews all.
  std::string if_expires_within;
  static std::span<const json::Field> Fields();
};

// A change of the cluster's configuration, on every node that has the changed parts.
struct ConfigAction {
  std::vector<std::string> set;  // values of `config apply --set`: "apiServer.extraArgs.v=4"
  static std::span<const json::Field> Fields();
};

// A replacement of a certificate authority, or of the key that signs tokens of ServiceAccounts.
struct RotateAction {
  std::string authority;                     // "kubernetes", "etcd", "front-proxy" or "sa"
  std::optional<base::Duration> drop_after;  // between the steps reissue and drop
  static std::span<const json::Field> Fields();

  // Returns drop_after. If it is not set, returns 75 minutes for "kubernetes" and "sa", because
  // their clients need new tokens or another CA. Returns zero for the other authorities.
  base::Duration DropAfter() const;
};

// A backup of one control plane.
struct BackupAction {
  std::string destination;              // a directory of that node, or "s3://BUCKET/PREFIX/"
  std::vector<std::string> recipients;  // public age keys: "age1…"
  // The Secret with the variables AWS_…, in the namespace of the Jobs; may be empty.
  std::string credentials_secret;
  static std::span<const json::Field> Fields();
};

// A restart of every host.
struct RebootAction {
  // Restarts only hosts on which /var/run/reboot-required exists.
  bool if_required = false;
  static std::span<const json::Field> Fields();
};

// Issues new client certificates to kubelets whose certificates have expired or are lost. Requires
// that their nodes can still run a Job.
struct RecoverAction {
  bool force = false;  // also replaces valid certificates
  // The Secret with the variable BOOTSTRAP_TOKEN, in the namespace of the Jobs; may be empty.
  std::string token_secret;
  static std::span<const json::Field> Fields();
};

struct WorkerRules {
  // The largest number of workers that are being changed or are not Ready.
  std::int32_t max_unavailable = 1;
  static std::span<const json::Field> Fields();
};

// The first workers, which are changed as a trial, and the pause before the others.
struct CanaryRules {
  std::int32_t nodes = 0;
  base::Duration soak{0};
  static std::span<const json::Field> Fields();
};

struct DrainRules {
  std::optional<bool> enabled;  // not set: only upgrades and restarts drain nodes
  bool force = false;           // also evicts Pods that no controller replaces
  std::optional<std::int32_t> grace_period_seconds;   // not set: each Pod's own
  base::Duration timeout = std::chrono::minutes(10);  // of one node
  static std::span<const json::Field> Fields();
};

// The treatment of a node on which an upgrade has failed.
enum class Rollback : std::int32_t {
  kNone,  // the node stays as it is
  kNode,  // `kubeadm upgrade rollback` runs on the node
};
std::span<const std::string_view> EnumNames(Rollback rollback);

struct OperationSpec {
  std::optional<UpgradeAction> upgrade;
  std::optional<RenewAction> renew_certificates;
  std::optional<ConfigAction> config_apply;
  std::optional<RotateAction> rotate_ca;
  std::optional<BackupAction> backup;
  std::optional<RebootAction> reboot;
  std::optional<RecoverAction> recover;
  std::map<std::string, std::string> node_selector;  // labels of the nodes; empty: all
  WorkerRules workers;
  CanaryRules canary;
  DrainRules drain;
  // Times at which a node may begin. Empty: at any time.
  std::vector<MaintenanceWindow> maintenance_windows;
  // Conditions that must be true before a node begins.
  std::vector<HealthGate> health_gates;
  base::Duration node_timeout = std::chrono::minutes(30);  // of the work on one node
  std::optional<Rollback> rollback;                        // not set: none
  bool paused = false;                                     // if true, no further node begins
  static std::span<const json::Field> Fields();
};

// Annotation of ClusterOperations and Jobs: the parent span of their work, as W3C's `traceparent`.
inline constexpr std::string_view kTraceAnnotation = "operations.slipway/traceparent";

// A decoded object.
struct ClusterOperation {
  std::string name;
  std::string uid;  // "" for an object of a file
  OperationSpec spec;
  std::string traceparent = {};  // the parent span (kTraceAnnotation), not validated; may be empty

  bool Drains() const;
  // Returns the field of the spec that says what is done, such as "configApply".
  std::string_view Action() const;
  // Returns "upgrade to v1.37.2" or "renewal of certificates".
  std::string Title() const;
  // Returns a hash of the spec without `paused` and `rollback`. Two objects with the same name and
  // the same hash have the same Jobs.
  std::string SpecHash() const;
};

// Returns whether an operation may have this name. The names of its Jobs begin with the operation's
// name.
bool IsOperationName(std::string_view name);

// Returns the parts of an object that the operator reads. A spec larger than 64 KiB is left out.
json::Value WithoutUnusedParts(const json::Value& object);

// Decodes an object, and validates it by the same rules as the CustomResourceDefinition. Throws
// base::Error(kInvalid) with all problems.
ClusterOperation ParseOperation(const json::Value& object);

}  // namespace fleet
