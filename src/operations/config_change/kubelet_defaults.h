// SPDX-License-Identifier: Apache-2.0
// The kubelet's defaults for fields that neither its file nor its arguments set. Internal to this
// library.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "json/value.h"

namespace config_change {

// Returns the default of a field of KubeletConfiguration ("evictionHard.memory.available"); null if
// the field is not set by default. The default is the same for all releases that this kubeadm
// supports. Returns std::nullopt for a field whose default depends on the node or the release.
std::optional<json::Value> FindKubeletDefault(const std::string& field);

// Returns whether one of the kubelet's arguments ("--max-pods") sets the field.
bool IsGivenByFlag(const std::string& field, const std::set<std::string>& flags);

}  // namespace config_change
