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

// The mount point and version of control groups.
struct CgroupMount {
  CgroupVersion version;
  std::string path;
};

// Parses /proc/mounts. `has_memory_directory` says whether /sys/fs/cgroup/memory is a directory,
// which decides about a tmpfs at /sys/fs/cgroup. Returns std::nullopt without control groups.
std::optional<CgroupMount> FindCgroups(std::string_view proc_mounts, bool has_memory_directory);

// Lists the enabled controllers of /proc/cgroups.
std::set<std::string> ParseCgroupsV1(std::string_view proc_cgroups);

// The controllers of a machine.
struct Cgroups {
  CgroupVersion version = CgroupVersion::kV2;
  std::set<std::string> controllers;
};

// Reads the machine. With version 2 "devices" (done by BPF) and, if groups can be frozen, "freezer"
// count as controllers. Returns std::nullopt without control groups.
std::optional<Cgroups> GatherCgroups(host::Host& host);

}  // namespace preflight
