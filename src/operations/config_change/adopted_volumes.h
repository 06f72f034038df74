// SPDX-License-Identifier: Apache-2.0
// Volumes made by hand as extraVolumes. For the inside of this room.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "config/types.h"
#include "config_change/compare.h"

namespace config_change {

// VolumeOf is the name of the volume that an edit is about ("volume audit", "mount
// /var/log/audit").
std::string VolumeOf(const Difference& edit);

// FitsExtraVolumes: each volume that the edits touch is a path of the host with one mount, which
// says no more than an extraVolume can, or is gone.
bool FitsExtraVolumes(std::span<const Difference> edits, const json::Value& pod);

// KeepVolume enters the volume of an edit ("volume audit", "mount /var/log/audit") as the Pod has
// it, or takes it out; `had` are the extraVolumes before the first edit. Returns why it cannot.
std::optional<std::string> KeepVolume(const Difference& edit, const json::Value& pod,
                                      std::span<const config::HostPathMount> had,
                                      std::vector<config::HostPathMount>& volumes);

}  // namespace config_change
