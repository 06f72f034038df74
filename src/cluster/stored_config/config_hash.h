// SPDX-License-Identifier: Apache-2.0
// Hashes that distinguish kubeadm's component configurations from the user's (reference: phases.md
// §1.1).
#pragma once

#include <string>
#include <string_view>

#include "config/types.h"
#include "json/fwd.h"

namespace stored_config {

// The annotation of a ConfigMap with a component configuration that kubeadm generated, so that an
// upgrade may replace it. The value is the object's ConfigHash.
inline constexpr std::string_view kHashAnnotation = "kubeadm.kubernetes.io/component-config.hash";

// Returns "sha256:" and the SHA-256 in hex. The hash covers all values of `data`, then all values
// of `binaryData`, each in the order of their keys.
std::string ConfigHash(const json::Value& config_map);

// Adds kHashAnnotation to `config_map`, unless the user wrote the configuration.
void AnnotateHash(json::Value& config_map, const config::ComponentConfig& config);

}  // namespace stored_config
