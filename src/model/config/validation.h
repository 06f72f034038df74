// SPDX-License-Identifier: Apache-2.0
// Validation: a loaded configuration → all its problems, each with its field path (reference:
// config-api.md §3). Pure, except for warnings of unwise values.
#pragma once

#include <functional>
#include <string>

#include "base/problems.h"
#include "config/types.h"

namespace config {

// Returns whether a path exists on the host.
using FileExists = std::function<bool(const std::string& path)>;

// Finds all problems of a configuration that has its defaults.
base::Problems Validate(const Init& init);
base::Problems Validate(const ClusterConfiguration& cluster);
base::Problems Validate(const JoinConfiguration& join, const FileExists& file_exists);
base::Problems Validate(const ResetConfiguration& reset);
base::Problems Validate(const UpgradeConfiguration& upgrade);

// ValidateNetworking is a part of Validate(ClusterConfiguration). It takes the whole configuration,
// because the size of networks depends on arguments of the controller manager.
void ValidateNetworking(const ClusterConfiguration& cluster, base::Problems& problems);

// ValidateEtcd and ValidateNodeRegistration are other parts of Validate.
void ValidateEtcd(const Etcd& etcd, base::Problems& problems);
void ValidateNodeRegistration(const NodeRegistration& node, const std::string& path,
                              base::Problems& problems);

// Throws base::Error(kInvalid) unless `endpoint` is "host" or "host:port" with a host that is an
// address or a lower-case DNS name.
void CheckControlPlaneEndpoint(const std::string& endpoint);

// Small rules that several kinds share.
void ValidateAbsolutePath(const std::string& value, const std::string& path,
                          base::Problems& problems);
void ValidateArgs(const Args& args, const std::string& path, base::Problems& problems);
void ValidateSans(const std::vector<std::string>& sans, const std::string& path,
                  base::Problems& problems);
void ValidateSocket(const std::string& socket, const std::string& path, base::Problems& problems);
void ValidatePullPolicy(const std::string& policy, const std::string& path,
                        base::Problems& problems);
void ValidateImageRepository(const std::string& repository, const std::string& path,
                             base::Problems& problems);
void ValidateDnsName(const std::string& name, const std::string& path, base::Problems& problems);

// Returns whether "/name:tag" can be appended to form an image reference.
bool IsImageRepository(const std::string& repository);

}  // namespace config
