// SPDX-License-Identifier: Apache-2.0
// What a user wants to be another value: of a file, or of words "path=value".
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "config/documents.h"
#include "config/facts.h"
#include "config/load.h"
#include "host/host.h"

namespace config_change {

// ApplySettings sets each "path=value" in what the cluster stores. A path begins at the
// ClusterConfiguration, or with "kubelet." or "kubeProxy." at those configurations. In a list of
// named things a name stands for the element: "apiServer.extraArgs.audit-log-maxage=30". The value
// is YAML, but a text below extraArgs; an empty one takes the field out. Throws base::Error(kUsage)
// for a word that is not a setting, and for a field that there is not.
config::StoredConfig ApplySettings(config::StoredConfig stored, std::span<const std::string> words);

// TakeFile puts the documents of a configuration file in the place of what the cluster stores;
// kinds that the file has not stay. A file without kubernetesVersion means the cluster's. Throws
// base::Error(kInvalid) for a file without any of the three kinds.
config::StoredConfig TakeFile(config::StoredConfig stored, const config::Source& file);
// The same of a path on the host. The file is checked first: what is wrong with it is thrown. What
// it says of this node, or of a run, and differs is warned of (NotTaken).
config::StoredConfig TakeFile(config::StoredConfig stored, host::Host& host,
                              const std::string& path);

// Complete is that configuration for this node as `init` would take it. Throws base::Error for what
// is wrong with it, unknown fields among that.
config::Init Complete(const config::StoredConfig& stored, const config::InitConfiguration& node,
                      const config::Facts& facts);

}  // namespace config_change
