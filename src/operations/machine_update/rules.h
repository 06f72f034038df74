// SPDX-License-Identifier: Apache-2.0
// The changes of a Machine of Cluster API that are carried out on its node, without a new Machine.
// All other changes are left to Cluster API, which replaces the Machine. CanUpdateMachine and
// CanUpdateMachineSet promise by these rules what UpdateMachine then does.
#pragma once

#include <string>

#include "json/value.h"

namespace machine_update {

// The facts besides the objects on which the rules depend.
struct UpdateScope {
  bool control_plane = false;
  bool upgrades_kubelets = false;  // an image or a command for kubelets is set
  // The version that the workload cluster's configuration has, "v1.37.2". Used for workers only.
  std::string cluster_version = {};
};

// The specs of a Machine and of its KubeadmConfig, or those of their templates.
struct UpdateSpecs {
  json::Value machine;
  json::Value config;
};

// JSON merge patches (RFC 7386) for the current specs; null: no patch.
struct UpdatePatches {
  json::Value machine;
  json::Value config;
};

// Returns the patches for exactly those changes from `current` to `desired` that are carried out in
// place. A change of the version is one of them if CheckVersion allows it. On control planes, a
// change of the arguments, variables or volumes of the API server, the controller manager and the
// scheduler is another one.
UpdatePatches PlanPatches(const UpdateSpecs& current, const UpdateSpecs& desired,
                          const UpdateScope& scope);

// Returns "" if a node of version `from` is upgraded in place to version `to`, otherwise the
// reason. Both versions have the form "v1.37.2". Requires:
// - a source of kubelets, unless the versions are equal
// - a version `to` that this program knows and that is not older than `from`
// - for control planes, at most one minor version between `from` and `to`
// - for workers, a version `to` that is not older than the cluster's, because `kubeadm upgrade
//   node` upgrades a node to the cluster's version
std::string CheckVersion(const std::string& from, const std::string& to, const UpdateScope& scope);

// Returns the values of the fields of a KubeadmConfig's spec that the rules name, by their paths.
json::Value RuledValues(const json::Value& config);

}  // namespace machine_update
