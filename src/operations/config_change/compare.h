// SPDX-License-Identifier: Apache-2.0
// Compares the wanted, the written and the running settings of a component, field by field. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace config_change {

// The form of a component's settings.
enum class Kind {
  kStaticPod,   // a Pod in the kubelet's directory of manifests
  kSettings,    // the kubelet's configuration file
  kDeployment,  // an object in the cluster
  kDaemonSet,
  kArguments,  // the kubelet's command line: {"args": […]}
  kCorefile,   // {"Corefile": text}
  kValues,     // the leaves of a document in a ConfigMap
  kObject      // another object in the cluster: the parts that an upgrade writes
};

// The effect of the next upgrade on a component's settings.
enum class AtUpgrade {
  kWritten,  // it writes the wanted settings
  kLeft      // it keeps the present settings
};

// The visible part of the running settings.
enum class Seen {
  kAll,        // an object of the cluster
  kArguments,  // the command line of a process
  kMirror,     // a static Pod's mirror Pod, which has additional defaults
  kSettings    // all settings, including defaults
};

// A component according to three sources: the wanted settings, the file, and the running settings.
// Each source is an object of the form `kind`. A source is not set if it is unknown.
struct Component {
  std::string name;   // "kube-apiserver", "kubelet"
  std::string node;   // its node; "" for an object of the cluster
  std::string place;  // the file, or "Deployment kube-system/coredns"
  Kind kind = Kind::kStaticPod;
  std::optional<json::Value> should = std::nullopt;
  std::optional<json::Value> disk = std::nullopt;  // not set for an object in the cluster
  std::optional<json::Value> runs = std::nullopt;
  Seen seen = Seen::kAll;
  // For kSettings: the program's defaults for fields that `should` does not set. Fields in
  // `incomparable` are not compared. If `incomparable` is set, fields that are neither in
  // `incomparable` nor in `usual` have no default.
  std::map<std::string, json::Value> usual = {};
  std::optional<std::set<std::string>> incomparable = std::nullopt;
  AtUpgrade at_upgrade = AtUpgrade::kWritten;
  // True if `should` includes the patches of the component's node.
  bool patches_known = true;
  bool chosen = false;   // whether a user has chosen the values in `should` (kSettings)
  bool missing = false;  // the file should exist but is missing
  bool deleted = false;  // the object should exist but is missing
  std::vector<std::string> strays = {};  // manifests of further Pods of the component
};

// The outcome for a present value that differs.
enum class Outcome {
  kLost,  // the next upgrade writes the wanted value
  // The file has the wanted value. The process reads the file at its next restart.
  kWaits,
  kKept,  // upgrades keep it
  // The next upgrade writes the wanted value, unless a patch of the other node sets this value.
  // Patches of other nodes are unknown here.
  kUnknown,
  // Upgrades are refused until the component has the wanted value.
  kBlocks
};

// Distinguishes an edit from values that no user has set.
enum class Origin {
  kEdit,
  // The value depends on the release of the kubeadm that wrote it, or on that kubeadm's run.
  // Examples are tags of images that are not Kubernetes images, proxy variables, and CA directories
  // of the host. Further examples are the time limit of a start, and the etcd members at a join.
  kRun
};

// One field whose values differ. A side is not set if it does not have the field, or if the side is
// unknown (see Component).
struct Difference {
  std::string component;
  std::string node;
  std::string field;
  std::optional<json::Value> should;
  std::optional<json::Value> disk;
  std::optional<json::Value> runs;
  Outcome outcome = Outcome::kLost;
  Origin origin = Origin::kEdit;
  bool operator==(const Difference&) const = default;
};

// Returns the part of a Pod that a command line shows (Seen::kArguments).
json::Value PodOfCommand(const std::vector<std::string>& words);

// Returns the differences in the order of their fields.
std::vector<Difference> Compare(const Component& component);

// Returns whether the difference is a manual edit that the next upgrade reverts, or that is not in
// force.
bool IsEdit(const Difference& difference);

}  // namespace config_change
