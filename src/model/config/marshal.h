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
// Marshal of a component configuration: KubeletConfiguration or KubeProxyConfiguration.
std::string Marshal(const json::Value& component);

// Returns the content of ConfigMap kubeadm-config: the ClusterConfiguration, with the requested CI
// version instead of the resolved one. Warns of arguments whose merge method is lost.
std::string MarshalForCluster(const ClusterConfiguration& cluster);

// Returns the output of `kubeadm config print …-defaults`. `component_kinds` are appended in the
// given order; throws base::Error(kUsage) for an unknown one.
std::string PrintInitDefaults(std::span<const std::string> component_kinds);
std::string PrintJoinDefaults(const std::string& hostname);
std::string PrintResetDefaults();
std::string PrintUpgradeDefaults();

// Warns of arguments whose merge method the current version cannot express. In that version, these
// arguments replace the default.
void WarnOfLostMergeMethods(const InitConfiguration& init);
void WarnOfLostMergeMethods(const ClusterConfiguration& cluster);
void WarnOfLostMergeMethods(const JoinConfiguration& join);

// Returns the output of `kubeadm config migrate`: every kind found, in the current version,
// complete. Refuses unknown fields and kinds, omits component configurations, and warns of values
// that the current version cannot express.
std::string Migrate(const Source& source, const Facts& facts,
                    ExperimentalVersions experimental = ExperimentalVersions::kRefuse);

// Implements `kubeadm config validate`: throws base::Error(kInvalid) for errors in any of the kinds
// found.
void ValidateFile(const Source& source, const Facts& facts, DeprecatedVersions deprecated,
                  ExperimentalVersions experimental = ExperimentalVersions::kRefuse);

}  // namespace config
