// SPDX-License-Identifier: Apache-2.0
// Converts manually added volumes to extraVolumes. Internal to this library.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/types.h"
#include "config_change/compare.h"

namespace config_change {

// Returns the name of the volume that an edit of "volume audit" or "mount /var/log/audit" concerns.
std::string VolumeOf(const Difference& edit);

// Returns whether each edited volume can become an extraVolume. Such a volume is a hostPath with
// one mount and no further properties. Returns true for a removed volume, too.
bool FitsExtraVolumes(std::span<const Difference> edits, const json::Value& pod);

// Applies the edit of one volume ("volume audit", "mount /var/log/audit") to the extraVolumes: adds
// the Pod's volume or removes it. `had` are the extraVolumes before the first edit. Returns
// std::nullopt, or the reason if the edit cannot be kept.
std::optional<std::string> KeepVolume(const Difference& edit, const json::Value& pod,
                                      std::span<const config::HostPathMount> had,
                                      std::vector<config::HostPathMount>& volumes);

}  // namespace config_change
