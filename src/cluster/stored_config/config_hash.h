// SPDX-License-Identifier: Apache-2.0
// Which component configuration in the cluster is generated and which is the user's own (reference:
// phases.md §1.1).
#pragma once

#include <string>
#include <string_view>

#include "config/types.h"
#include "json/fwd.h"

namespace stored_config {

// kHashAnnotation marks a ConfigMap of a component's configuration that the user did not write:
// an upgrade may replace it. Its value is ConfigHash of the object.
inline constexpr std::string_view kHashAnnotation = "kubeadm.kubernetes.io/component-config.hash";

// ConfigHash is "sha256:" + hex SHA-256 over the values of `data`, then of `binaryData`, each in
// the order of their keys.
std::string ConfigHash(const json::Value& config_map);

// AnnotateHash adds the annotation unless the configuration is the user's own.
void AnnotateHash(json::Value& config_map, const config::ComponentConfig& config);

}  // namespace stored_config
