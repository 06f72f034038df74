// SPDX-License-Identifier: Apache-2.0
#include "preflight/system_verification.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/error.h"
#include "base/strings.h"
#include "releases/releases.h"

namespace preflight {
namespace {

using checks::Finding;
using checks::Refuse;
using checks::Warn;

// The findings, and a line for each value that was read.
struct Protocol {
  checks::Findings findings;
  std::vector<std::string> lines;

  void Note(std::string_view name, std::string_view value) {
    lines.push_back(fmt::format("{}: {}", name, value));
  }
};

// One required or recommended build option of the kernel.
struct KernelOption {
  enum class Need { kRequired, kRequiredByV1, kRequiredByV2, kOptional } need;
  std::string_view name;
  std::string_view alias;  // an older or newer name
  std::string_view purpose;
};

constexpr auto kAlways = KernelOption::Need::kRequired;
constexpr auto kV1 = KernelOption::Need::kRequiredByV1;
constexpr auto kV2 = KernelOption::Need::kRequiredByV2;
constexpr auto kReported = KernelOption::Need::kOptional;

constexpr KernelOption kKernelOptions[] = {
    {kAlways, "NAMESPACES", "", ""},
    {kAlways, "NET_NS", "", ""},
    {kAlways, "PID_NS", "", ""},
    {kAlways, "IPC_NS", "", ""},
    {kAlways, "UTS_NS", "", ""},
    {kAlways, "CPUSETS", "", ""},
    {kAlways, "MEMCG", "", ""},
    {kAlways, "INET", "", ""},
    {kAlways, "EXT4_FS", "", ""},
    {kAlways, "PROC_FS", "", ""},
    {kAlways, "NETFILTER_XT_TARGET_REDIRECT", "IP_NF_TARGET_REDIRECT", ""},
    {kAlways, "NETFILTER_XT_MATCH_COMMENT", "", ""},
    {kAlways, "FAIR_GROUP_SCHED", "", ""},
    {kV1, "CGROUPS", "", ""},
    {kV1, "CGROUP_CPUACCT", "", ""},
    {kV1, "CGROUP_DEVICE", "", ""},
    {kV1, "CGROUP_FREEZER", "", ""},
    {kV1, "CGROUP_PIDS", "", ""},
    {kV1, "CGROUP_SCHED", "", ""},
    {kV2, "CGROUPS", "", ""},
    {kV2, "CGROUP_BPF", "", ""},
    {kV2, "CGROUP_PIDS", "", ""},
    {kV2, "CGROUP_SCHED", "", ""},
    {kReported, "OVERLAY_FS", "OVERLAYFS_FS", "needed by overlayfs"},
    {kReported, "AUFS_FS", "", "needed by aufs"},
    {kReported, "BLK_DEV_DM", "", "needed by devicemapper"},
    {kReported, "CFS_BANDWIDTH", "", "needed by CPU quotas"},
    {kReported, "SECCOMP", "", "needed by seccomp"},
    {kReported, "SECCOMP_FILTER", "", "needed by seccomp mode 2"},
};

// The controllers of control groups that a kubelet needs, and those that it can use.
struct Controllers {
  std::vector<std::string> required;
  std::vector<std::string> optional;
};

Controllers ControllersOf(CgroupVersion version) {
  if (version == CgroupVersion::kV1) {
    return {{"cpu", "cpuacct", "cpuset", "devices", "freezer", "memory", "pids"},
            {"hugetlb", "blkio"}};
  }
  return {{"cpu", "cpuset", "devices", "freezer", "memory", "pids"}, {"hugetlb", "io"}};
}

bool TakeDigits(std::string_view& text) {
  const std::size_t length = std::min(text.find_first_not_of("0123456789"), text.size());
  text.remove_prefix(length);
  return length > 0;
}

// Returns true for the long-term series 5.4, 5.10 and 5.15, and for X.Y.Z from 6 on.
bool IsKnownRelease(std::string_view release) {
  for (const std::string_view series : {"5.4", "5.10", "5.15"}) {
    if (release.starts_with(series)) {
      return true;
    }
  }
  int major = 0;
  std::from_chars(release.data(), release.data() + release.size(), major);
  for (int part = 0; part < 3; ++part) {
    if (part > 0 && !release.starts_with('.')) {
      return false;
    }
    release.remove_prefix(part > 0 ? 1 : 0);
    if (!TakeDigits(release)) {
      return false;
    }
  }
  return major >= 6;
}

bool Applies(const KernelOption& option, const std::optional<Cgroups>& cgroups) {
  switch (option.need) {
    case kV1:
      return cgroups && cgroups->version == CgroupVersion::kV1;
    case kV2:
      return cgroups && cgroups->version == CgroupVersion::kV2;
    default:
      return true;
  }
}

std::string ValueText(const KernelOption& option, char value) {
  if (value == 'y') {
    return "enabled";
  }
  if (value == 'm') {
    return "enabled (as module)";
  }
  return option.need == kReported ? fmt::format("not set, {}", option.purpose) : "missing";
}

void JudgeKernelConfig(const SystemFacts& facts, Protocol& protocol) {
  if (!facts.kernel_config) {
    protocol.findings.push_back(Refuse(
        fmt::format("the configuration of kernel {} was not found: neither /proc/config.gz nor "
                    "/boot/config-{} exist, and the module \"configs\" cannot be loaded",
                    facts.kernel_release, facts.kernel_release)));
    return;
  }
  const KernelOptions options = ParseKernelConfig(*facts.kernel_config);
  const auto value_of = [&](std::string_view name) {
    const auto found = options.find(name);
    return found == options.end() ? '\0' : found->second;
  };
  std::string missing;
  for (const KernelOption& option : kKernelOptions) {
    if (!Applies(option, facts.cgroups)) {
      continue;
    }
    const char own = value_of(option.name);
    const char value = own == '\0' && !option.alias.empty() ? value_of(option.alias) : own;
    protocol.Note(fmt::format("CONFIG_{}", option.name), ValueText(option, value));
    if (value != 'y' && value != 'm' && option.need != kReported) {
      missing += fmt::format(" CONFIG_{}", option.name);
    }
  }
  if (!missing.empty()) {
    protocol.findings.push_back(Refuse(fmt::format("the kernel was built without{}", missing)));
  }
}

void JudgeKernel(const SystemFacts& facts, Protocol& protocol) {
  protocol.Note("KERNEL_VERSION", facts.kernel_release);
  if (!IsKnownRelease(facts.kernel_release)) {
    protocol.findings.push_back(Warn(
        fmt::format("kernel {} is not one of the recommended versions: 5.4, 5.10, 5.15, 6 or newer",
                    facts.kernel_release)));
  }
  JudgeKernelConfig(facts, protocol);
}

void JudgeOs(const SystemFacts& facts, Protocol& protocol) {
  protocol.Note("OS", facts.kernel_name);
  if (facts.kernel_name != "Linux") {
    protocol.findings.push_back(
        Refuse(fmt::format("the operating system {} is not supported", facts.kernel_name)));
  }
}

constexpr std::string_view kV1Deprecated =
    "version 1 of control groups is deprecated: the kubelet from 1.35 on refuses it unless its "
    "configuration says failCgroupV1: false and this check is ignored; boot with version 2 "
    "(systemd.unified_cgroup_hierarchy=1). See https://kep.k8s.io/5573";

void JudgeCgroups(const SystemFacts& facts, Protocol& protocol) {
  if (!facts.cgroups) {
    protocol.findings.push_back(
        Refuse("no control groups are mounted; mount cgroup2 at /sys/fs/cgroup"));
    return;
  }
  const Cgroups& cgroups = *facts.cgroups;
  const bool refuses_v1 = releases::For(facts.kubelet).refuses_cgroup_v1;
  const auto missing = [&](const std::vector<std::string>& controllers) {
    std::string names;
    for (const std::string& controller : controllers) {
      std::string name = controller;
      std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
      const bool has = cgroups.controllers.contains(controller);
      protocol.Note("CGROUPS_" + name, has ? "enabled" : "missing");
      names += has ? "" : " " + controller;
    }
    return names;
  };
  const Controllers controllers = ControllersOf(cgroups.version);
  const std::string required = missing(controllers.required);
  const std::string optional = missing(controllers.optional);
  if (cgroups.version == CgroupVersion::kV1 && !refuses_v1) {
    protocol.findings.push_back(Warn(std::string(kV1Deprecated)));
  }
  if (!optional.empty()) {
    protocol.findings.push_back(Warn(fmt::format("missing optional cgroups:{}", optional)));
  }
  if (!required.empty()) {
    protocol.findings.push_back(Refuse(fmt::format("missing required cgroups:{}", required)));
  } else if (cgroups.version == CgroupVersion::kV1 && refuses_v1) {
    protocol.findings.push_back(Refuse(std::string(kV1Deprecated)));
  }
}

constexpr std::string_view kUsualMount = "/sys/fs/cgroup";

using host::FileInfo;

bool IsDirectory(host::Host& host, const std::string& path) {
  const std::optional<FileInfo> info = host.files.Stat(path);
  return info && info->kind == FileInfo::Kind::kDirectory;
}

// Returns whether a control group has the file cgroup.freeze. The root group lacks this file, so a
// child group is checked. If the root group has no child, a child is created temporarily.
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

checks::Findings JudgeSystem(const SystemFacts& facts) {
  Protocol protocol;
  JudgeKernel(facts, protocol);
  JudgeOs(facts, protocol);
  JudgeCgroups(facts, protocol);
  const auto error =
      std::ranges::find(protocol.findings, checks::Severity::kError, &Finding::severity);
  if (error != protocol.findings.end()) {
    error->evidence = base::Join(protocol.lines, "\n");
  }
  return protocol.findings;
}

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

std::optional<Cgroups> CollectCgroups(host::Host& host) {
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

SystemFacts CollectSystem(host::Host& host, const base::Version& kubelet) {
  return {.kernel_name = host.machine.KernelName(),
          .kernel_release = host.machine.KernelRelease(),
          .kernel_config = FindKernelConfig(host),
          .cgroups = CollectCgroups(host),
          .kubelet = kubelet};
}

}  // namespace preflight
