// SPDX-License-Identifier: Apache-2.0
// SystemVerification: whether this kernel can run containers (reference: preflight.md §7).
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/version.h"
#include "checks/finding.h"
#include "host/host.h"

namespace preflight {

// The version of the hierarchy that the node has mounted (cgroups(7)).
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

// Collects the control groups of the machine. Version 2 has no controller files for "devices"
// (implemented by BPF) and "freezer": "devices" always counts as a controller, "freezer" if groups
// can be frozen. Returns std::nullopt without control groups.
std::optional<Cgroups> CollectCgroups(host::Host& host);

// The options that are built in ('y') or modules ('m'), without "CONFIG_".
using KernelOptions = std::map<std::string, char, std::less<>>;

// Parses "CONFIG_X=y" lines; skips all others.
KernelOptions ParseKernelConfig(std::string_view text);

// The possible paths of a kernel's configuration, in the order of search.
std::vector<std::string> KernelConfigPaths(std::string_view release);

// Uncompresses gzip data (RFC 1952). Throws base::Error(kInvalid).
std::string Gunzip(std::string_view compressed);

// Reads the first existing file of KernelConfigPaths. If none exists, temporarily loads the kernel
// module "configs", which may provide /proc/config.gz. Returns std::nullopt if that file does not
// appear, either.
std::optional<std::string> FindKernelConfig(host::Host& host);

// The kernel's own facts.
struct SystemFacts {
  std::string kernel_name;                   // "Linux"
  std::string kernel_release;                // "6.1.0-40-amd64"
  std::optional<std::string> kernel_config;  // not set: found nowhere
  std::optional<Cgroups> cgroups;            // not set: none are mounted
  base::Version kubelet;                     // decides about version 1 of control groups
};

// Checks kernel, operating system and control groups, in that order. The evidence of the first
// error lists all checked values, one per line ("CONFIG_NET_NS: enabled").
checks::Findings JudgeSystem(const SystemFacts& facts);

// Reads the machine.
SystemFacts CollectSystem(host::Host& host, const base::Version& kubelet);

}  // namespace preflight
