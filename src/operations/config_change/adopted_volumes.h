// SPDX-License-Identifier: Apache-2.0
// Manually added volumes as extraVolumes. Internal to this library.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/types.h"
#include "config_change/compare.h"

namespace config_change {

// Returns the name of an edit's volume ("volume audit", "mount /var/log/audit").
std::string VolumeOf(const Difference& edit);

// Returns whether each edited volume can be an extraVolume: a path of the host with one mount and
// no further properties. Returns true for a removed volume, too.
bool FitsExtraVolumes(std::span<const Difference> edits, const json::Value& pod);

// Adds the Pod's volume of an edit ("volume audit", "mount /var/log/audit"), or removes it; `had`
// are the extraVolumes before the first edit. Returns the reason if that is not possible,
// std::nullopt otherwise.
std::optional<std::string> KeepVolume(const Difference& edit, const json::Value& pod,
                                      std::span<const config::HostPathMount> had,
                                      std::vector<config::HostPathMount>& volumes);

}  // namespace config_change
