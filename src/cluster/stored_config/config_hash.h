// SPDX-License-Identifier: Apache-2.0
// Distinguishes generated component configurations in the cluster from the user's own (reference:
// phases.md §1.1).
#pragma once

#include <string>
#include <string_view>

#include "config/types.h"
#include "json/fwd.h"

namespace stored_config {

// Marks a ConfigMap of a component's configuration that the user did not write: an upgrade may
// replace it. Its value is ConfigHash of the object.
inline constexpr std::string_view kHashAnnotation = "kubeadm.kubernetes.io/component-config.hash";

// Returns "sha256:" + hex SHA-256 over the values of `data`, then of `binaryData`, each in the
// order of their keys.
std::string ConfigHash(const json::Value& config_map);

// Adds the annotation unless the configuration is the user's own.
void AnnotateHash(json::Value& config_map, const config::ComponentConfig& config);

}  // namespace stored_config
