// SPDX-License-Identifier: Apache-2.0
// Control groups of a machine (cgroups(7); reference: preflight.md §7).
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "host/host.h"

namespace preflight {

// CgroupVersion is which hierarchy the node has mounted (cgroups(7)).
enum class CgroupVersion { kV1, kV2 };

// CgroupMount is where and how control groups are mounted.
struct CgroupMount {
  CgroupVersion version;
  std::string path;
};

// FindCgroups reads /proc/mounts. `has_memory_directory` tells whether /sys/fs/cgroup/memory is a
// directory, which decides about a tmpfs at /sys/fs/cgroup. Nothing when there are no control
// groups.
std::optional<CgroupMount> FindCgroups(std::string_view proc_mounts, bool has_memory_directory);

// ParseCgroupsV1 lists the enabled controllers of /proc/cgroups.
std::set<std::string> ParseCgroupsV1(std::string_view proc_cgroups);

// Cgroups are what a machine offers.
struct Cgroups {
  CgroupVersion version = CgroupVersion::kV2;
  std::set<std::string> controllers;
};

// GatherCgroups looks at the machine. With version 2 "devices" (done by BPF) and, when groups can
// be frozen, "freezer" count as controllers. Nothing when there are no control groups.
std::optional<Cgroups> GatherCgroups(host::Host& host);

}  // namespace preflight
