// SPDX-License-Identifier: Apache-2.0
// What a kubelet runs with where neither its file nor its arguments say anything. For the inside of
// this room.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "json/value.h"

namespace config_change {

// FindKubeletDefault is the default of a field of KubeletConfiguration
// ("evictionHard.memory.available"), the same for all releases that this kubeadm knows; null: it is
// not set. Returns std::nullopt for a field whose default depends on the node or the release.
std::optional<json::Value> FindKubeletDefault(const std::string& field);

// IsGivenByFlag tells whether one of the kubelet's arguments ("--max-pods") sets the field.
bool IsGivenByFlag(const std::string& field, const std::set<std::string>& flags);

}  // namespace config_change
