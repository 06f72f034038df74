// SPDX-License-Identifier: Apache-2.0
// Marshal: configurations as YAML text of the current version, sorted keys, as Kubernetes writes
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

// MarshalForCluster is the text of the ConfigMap kubeadm-config: the ClusterConfiguration, with the
// CI version that was asked for in place of what it resolved to. Warns of arguments whose merge
// method is lost.
std::string MarshalForCluster(const ClusterConfiguration& cluster);

// What `kubeadm config print …-defaults` writes. `component_kinds` are appended in the order given;
// throws base::Error(kUsage) for one that is not known.
std::string PrintInitDefaults(std::span<const std::string> component_kinds);
std::string PrintJoinDefaults(const std::string& hostname);
std::string PrintResetDefaults();
std::string PrintUpgradeDefaults();

// WarnOfLostMergeMethods names the arguments whose merge method the current version cannot express:
// written in it, they replace the default.
void WarnOfLostMergeMethods(const InitConfiguration& init);
void WarnOfLostMergeMethods(const ClusterConfiguration& cluster);
void WarnOfLostMergeMethods(const JoinConfiguration& join);

// Migrate is what `kubeadm config migrate` writes: every kind found, in the current version,
// complete. Unknown fields and kinds are refused. Component configurations are left out. Warns of
// what the current version cannot express.
std::string Migrate(const Source& source, const Facts& facts,
                    ExperimentalVersions experimental = ExperimentalVersions::kRefuse);

// ValidateFile is `kubeadm config validate`: throws base::Error(kInvalid) for what is wrong with
// any of the kinds found.
void ValidateFile(const Source& source, const Facts& facts, DeprecatedVersions deprecated,
                  ExperimentalVersions experimental = ExperimentalVersions::kRefuse);

}  // namespace config
