// SPDX-License-Identifier: Apache-2.0
// Marshal: configurations as YAML of the current version, with sorted keys, as Kubernetes writes
// them.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "config/documents.h"
#include "config/facts.h"
#include "config/load.h"
#include "config/types.h"
#include "json/fwd.h"

namespace config {

std::string Marshal(const InitConfiguration& init);
std::string Marshal(const ClusterConfiguration& cluster);
std::string Marshal(const JoinConfiguration& join);
std::string Marshal(const ResetConfiguration& reset);
std::string Marshal(const UpgradeConfiguration& upgrade);
// Marshals a component configuration: KubeletConfiguration or KubeProxyConfiguration.
std::string Marshal(const json::Value& component);

// Returns the content of ConfigMap kubeadm-config: the ClusterConfiguration. Its version is the
// requested CI version, if any, instead of the resolved one. Warns of arguments that lose their
// merge method.
std::string MarshalForCluster(const ClusterConfiguration& cluster);

// Returns the output of `kubeadm config print …-defaults`. Appends the defaults of
// `component_kinds` in the given order. Throws base::Error(kUsage) for an unknown kind.
std::string PrintInitDefaults(std::span<const std::string> component_kinds);
std::string PrintJoinDefaults(const std::string& hostname);
std::string PrintResetDefaults();
std::string PrintUpgradeDefaults();

// Warns of arguments with a merge method that the current version cannot express. In the current
// version, such an argument replaces the default.
void WarnOfLostMergeMethods(const InitConfiguration& init);
void WarnOfLostMergeMethods(const ClusterConfiguration& cluster);
void WarnOfLostMergeMethods(const JoinConfiguration& join);

// Returns the output of `kubeadm config migrate`: every kind found, in the current version, with
// all defaults. Refuses unknown fields and kinds. Leaves out component configurations. Warns of
// values that the current version cannot express.
std::string Migrate(const Source& source, const Facts& facts,
                    ExperimentalVersions experimental = ExperimentalVersions::kRefuse);

// Implements `kubeadm config validate`. Throws base::Error(kInvalid) if any kind in the file has an
// error.
void ValidateFile(const Source& source, const Facts& facts, DeprecatedVersions deprecated,
                  ExperimentalVersions experimental = ExperimentalVersions::kRefuse);

}  // namespace config
