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
  kSettings,    // a configuration file: the kubelet's
  kDeployment,  // an object in the cluster
  kDaemonSet,
  kArguments,  // {"args": […]} of a process: the kubelet's
  kCorefile,   // {"Corefile": text}
  kValues,     // a document in a ConfigMap: its leaves
  kObject      // any other object in the cluster: the parts that an upgrade writes
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
  kMirror,     // a static Pod's mirror Pod: with defaults and additions
  kSettings    // all settings, including defaults
};

// A component according to three sources. Each source is an object of the form `kind`, not set if
// the source is unknown.
struct Component {
  std::string name;   // "kube-apiserver", "kubelet"
  std::string node;   // its node; "" for an object of the cluster
  std::string place;  // the file, or "Deployment kube-system/coredns"
  Kind kind = Kind::kStaticPod;
  std::optional<json::Value> should = std::nullopt;
  std::optional<json::Value> disk = std::nullopt;  // of an object in the cluster: never
  std::optional<json::Value> runs = std::nullopt;
  Seen seen = Seen::kAll;
  // For kSettings: the program's defaults for fields that `should` does not set. Fields in
  // `incomparable` are not compared. If `incomparable` is set, fields that are neither in
  // `incomparable` nor in `usual` have no default.
  std::map<std::string, json::Value> usual = {};
  std::optional<std::set<std::string>> incomparable = std::nullopt;
  AtUpgrade at_upgrade = AtUpgrade::kWritten;
  bool patches_known = true;  // whether `should` has the patches of its node
  bool chosen = false;        // whether a user has chosen the values in `should` (kSettings)
  bool missing = false;       // the file should exist but is missing
  bool deleted = false;       // the object should exist but is missing
  std::vector<std::string> strays = {};  // files that run a second Pod of it
};

// The effect on the value in force.
enum class Outcome {
  kLost,     // the next upgrade writes the wanted value
  kWaits,    // the file has the wanted value; the process reads it at its next restart
  kKept,     // upgrades keep it
  kUnknown,  // lost, unless its node's patches, which are unknown here, set it
  kBlocks    // no upgrade begins until it has the wanted value
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

// Returns whether the difference was made manually, and is lost or not in force.
bool IsEdit(const Difference& difference);

}  // namespace config_change
