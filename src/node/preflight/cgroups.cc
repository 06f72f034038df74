// SPDX-License-Identifier: Apache-2.0
#include "preflight/cgroups.h"

#include <algorithm>

#include "base/error.h"
#include "base/strings.h"

namespace preflight {
namespace {

constexpr std::string_view kUsualMount = "/sys/fs/cgroup";

using host::FileInfo;

bool IsDirectory(host::Host& host, const std::string& path) {
  const std::optional<FileInfo> info = host.files.Stat(path);
  return info && info->kind == FileInfo::Kind::kDirectory;
}

// Looks for cgroup.freeze. The root group lacks it, so its child groups are checked; without any,
// one is created temporarily.
bool CanFreeze(host::Host& host, const std::string& mount) {
  const auto has = [&](const std::string& group) {
    return host.files.Exists(mount + "/" + group + "/cgroup.freeze");
  };
  const std::vector<std::string> groups = host.files.List(mount);
  if (has(".") || std::ranges::any_of(groups, has)) {
    return true;
  }
  const std::string probe = "slipway-preflight";
  try {
    host.files.MakeDirectories(mount + "/" + probe);
    const bool found = has(probe);
    host.files.Remove(mount + "/" + probe);
    return found;
  } catch (const base::Error&) {
    return false;
  }
}

std::set<std::string> ControllersV2(host::Host& host, const std::string& mount) {
  std::set<std::string> controllers{"devices"};
  for (std::string& name :
       base::Fields(host.files.Find(mount + "/cgroup.controllers").value_or(""))) {
    controllers.insert(std::move(name));
  }
  if (CanFreeze(host, mount)) {
    controllers.insert("freezer");
  }
  return controllers;
}

}  // namespace

std::optional<CgroupMount> FindCgroups(std::string_view proc_mounts, bool has_memory_directory) {
  std::optional<CgroupMount> first_v1;
  std::optional<CgroupMount> first_v2;
  for (const std::string& line : base::Lines(proc_mounts)) {
    const std::vector<std::string> fields = base::Fields(line);  // device, mount point, type, …
    if (fields.size() < 3) {
      continue;
    }
    const std::string& place = fields[1];
    const std::string& type = fields[2];
    if (place == kUsualMount && type == "cgroup2") {
      return CgroupMount{CgroupVersion::kV2, place};
    }
    if (place == kUsualMount && type == "tmpfs") {
      return CgroupMount{has_memory_directory ? CgroupVersion::kV1 : CgroupVersion::kV2, place};
    }
    if (type == "cgroup2" && !first_v2) {
      first_v2 = {CgroupVersion::kV2, place};
    } else if (type == "cgroup" && !first_v1) {
      first_v1 = {CgroupVersion::kV1, place};
    }
  }
  return first_v2 ? first_v2 : first_v1;
}

std::set<std::string> ParseCgroupsV1(std::string_view proc_cgroups) {
  std::set<std::string> controllers;
  for (const std::string& line : base::Lines(proc_cgroups)) {
    const std::vector<std::string> fields = base::Fields(line);  // name hierarchy number enabled
    if (fields.size() == 4 && !fields[0].starts_with('#') && fields[3] != "0") {
      controllers.insert(fields[0]);
    }
  }
  return controllers;
}

std::optional<Cgroups> GatherCgroups(host::Host& host) {
  const std::optional<CgroupMount> mount =
      FindCgroups(host.files.Find("/proc/mounts").value_or(""),
                  IsDirectory(host, std::string(kUsualMount) + "/memory"));
  if (!mount) {
    return std::nullopt;
  }
  return Cgroups{.version = mount->version,
                 .controllers = mount->version == CgroupVersion::kV1
                                    ? ParseCgroupsV1(host.files.Find("/proc/cgroups").value_or(""))
                                    : ControllersV2(host, mount->path)};
}

}  // namespace preflight
