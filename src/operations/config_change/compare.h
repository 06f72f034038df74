// SPDX-License-Identifier: Apache-2.0
// What a component should be, what is on disk and what runs, compared field by field. Pure.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"

namespace config_change {

// Kind is how a component's settings are written down.
enum class Kind {
  kStaticPod,   // a Pod in the kubelet's directory of manifests
  kSettings,    // a configuration file: the kubelet's
  kDeployment,  // an object in the cluster
  kDaemonSet,
  kArguments,  // {"args": […]} of a process: the kubelet's
  kCorefile,   // {"Corefile": text}
  kValues,     // a document in a ConfigMap: its leaves
  kObject      // any other object in the cluster: what an upgrade writes of it
};

// AtUpgrade is what the next upgrade does to a component's settings.
enum class AtUpgrade {
  kWritten,  // it writes what should be
  kLeft      // it leaves them as they are
};

// Seen is how much of what runs can be known.
enum class Seen {
  kAll,        // an object of the cluster
  kArguments,  // the command line of a process
  kMirror,     // the Pod that the API shows for a static one: with defaults and additions
  kSettings    // all settings, those that nobody chose among them
};

// Component is one as the three have it. Objects are of the kind; what is not known is not set.
struct Component {
  std::string name;   // "kube-apiserver", "kubelet"
  std::string node;   // whose it is; "" for an object of the cluster
  std::string place;  // the file, or "Deployment kube-system/coredns"
  Kind kind = Kind::kStaticPod;
  std::optional<json::Value> should = std::nullopt;
  std::optional<json::Value> disk = std::nullopt;  // of an object in the cluster: never
  std::optional<json::Value> runs = std::nullopt;
  Seen seen = Seen::kAll;
  // Values of kSettings that the program has where `should` says nothing, by field. With
  // `incomparable` all other fields are usually not set; those in it are not compared.
  std::map<std::string, json::Value> usual = {};
  std::optional<std::set<std::string>> incomparable = std::nullopt;
  AtUpgrade at_upgrade = AtUpgrade::kWritten;
  bool patches_known = true;  // whether `should` has the patches of its node
  bool chosen = false;        // whether a user has chosen what `should` stores (kSettings)
  bool missing = false;       // the file should be there and is not
  bool deleted = false;       // the object should be in the cluster and is not
  std::vector<std::string> strays = {};  // files that run a second Pod of it
};

// Outcome is what becomes of the value that is in force.
enum class Outcome {
  kLost,     // the next upgrade writes what should be
  kWaits,    // the file is as it should be; what runs takes it with its next restart
  kKept,     // upgrades leave it alone
  kUnknown,  // lost, unless the patches of its node, which are not known here, give it
  kBlocks    // no upgrade begins until it is as it should be
};

// Origin tells an edit from what nobody has chosen by hand.
enum class Origin {
  kEdit,
  // Depends on the release of the kubeadm that wrote it, or on how and where that was run: tags of
  // images beside Kubernetes', variables for proxies, CA directories of the host, the time given to
  // a start, the members of etcd that a joining one was told.
  kRun
};

// Difference is one field whose values are not the same. A side that is not set has no such field,
// or is not known: see Component.
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

// PodOfCommand is all that a command line tells of a Pod (Seen::kArguments).
json::Value PodOfCommand(const std::vector<std::string>& words);

// Compare gives the differences in the order of their fields.
std::vector<Difference> Compare(const Component& component);

// IsEdit: made by hand, and lost or not in force.
bool IsEdit(const Difference& difference);

}  // namespace config_change
