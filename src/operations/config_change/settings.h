// SPDX-License-Identifier: Apache-2.0
// The user's changes of values: from a file, or from arguments "path=value".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/documents.h"
#include "config/facts.h"
#include "config/load.h"
#include "host/host.h"

namespace config_change {

// Sets each "path=value" in the stored configuration. A path begins at the ClusterConfiguration;
// the prefixes "kubelet." and "kubeProxy." select the component configurations. In a list of named
// elements, a name selects an element: "apiServer.extraArgs.audit-log-maxage=30". The value is
// YAML, but below extraArgs it is a string. An empty value removes the field. Throws
// base::Error(kUsage) for a malformed argument, and for an unknown field.
config::StoredConfig ApplySettings(config::StoredConfig stored, std::span<const std::string> words);

// Checks the arguments without the stored configuration. Throws base::Error(kUsage) for a malformed
// "path=value" and for an unknown field.
void CheckSettings(std::span<const std::string> words);

// Replaces stored documents by the documents of a configuration file. Stored kinds that are not in
// the file stay. If the file has no kubernetesVersion, the cluster's version stays. Throws
// base::Error(kInvalid) for a file that has none of ClusterConfiguration, KubeletConfiguration and
// KubeProxyConfiguration.
config::StoredConfig TakeFile(config::StoredConfig stored, const config::Source& file);
// Like the function above, for a file on the host. Validates the file first, and throws the errors
// of the validation. Warns about settings of the file that concern only a node or one run and that
// differ from this node (NotTaken).
config::StoredConfig TakeFile(config::StoredConfig stored, host::Host& host,
                              const std::string& path);

// Returns the stored configuration, completed for this node, as `init` would use it. Throws
// base::Error(kUsage or kInvalid) for errors in the configuration, including unknown fields.
config::Init Complete(const config::StoredConfig& stored, const config::InitConfiguration& node,
                      const config::Facts& facts);

}  // namespace config_change
