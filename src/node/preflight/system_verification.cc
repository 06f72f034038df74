// SPDX-License-Identifier: Apache-2.0
#include "preflight/system_verification.h"

#include <fmt/core.h>

#include <algorithm>
#include <charconv>
#include <string_view>

#include "base/strings.h"
#include "preflight/kernel_config.h"
#include "releases/releases.h"

namespace preflight {
namespace {

using Quality = Detail::Quality;

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

struct Controller {
  CgroupVersion version;
  enum class Need { kRequired, kOptional } need;
  std::string_view name;
};

constexpr Controller kControllers[] = {
    {CgroupVersion::kV1, Controller::Need::kRequired, "cpu"},
    {CgroupVersion::kV1, Controller::Need::kRequired, "cpuacct"},
    {CgroupVersion::kV1, Controller::Need::kRequired, "cpuset"},
    {CgroupVersion::kV1, Controller::Need::kRequired, "devices"},
    {CgroupVersion::kV1, Controller::Need::kRequired, "freezer"},
    {CgroupVersion::kV1, Controller::Need::kRequired, "memory"},
    {CgroupVersion::kV1, Controller::Need::kRequired, "pids"},
    {CgroupVersion::kV1, Controller::Need::kOptional, "hugetlb"},
    {CgroupVersion::kV1, Controller::Need::kOptional, "blkio"},
    {CgroupVersion::kV2, Controller::Need::kRequired, "cpu"},
    {CgroupVersion::kV2, Controller::Need::kRequired, "cpuset"},
    {CgroupVersion::kV2, Controller::Need::kRequired, "devices"},
    {CgroupVersion::kV2, Controller::Need::kRequired, "freezer"},
    {CgroupVersion::kV2, Controller::Need::kRequired, "memory"},
    {CgroupVersion::kV2, Controller::Need::kRequired, "pids"},
    {CgroupVersion::kV2, Controller::Need::kOptional, "hugetlb"},
    {CgroupVersion::kV2, Controller::Need::kOptional, "io"},
};

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

Detail DetailOf(const KernelOption& option, char value) {
  std::string name = fmt::format("CONFIG_{}", option.name);
  if (value == 'y') {
    return {Quality::kGood, std::move(name), "enabled"};
  }
  if (value == 'm') {
    return {Quality::kGood, std::move(name), "enabled (as module)"};
  }
  if (option.need == kReported) {
    return {Quality::kWarning, std::move(name), fmt::format("not set, {}", option.purpose)};
  }
  return {Quality::kBad, std::move(name), "missing"};
}

Verdict JudgeKernelConfig(const SystemFacts& facts) {
  if (!facts.kernel_config) {
    return Verdict::Error(
        fmt::format("the configuration of kernel {} was not found: neither /proc/config.gz nor "
                    "/boot/config-{} exist, and the module \"configs\" cannot be loaded",
                    facts.kernel_release, facts.kernel_release));
  }
  const KernelOptions options = ParseKernelConfig(*facts.kernel_config);
  const auto value_of = [&](std::string_view name) {
    const auto found = options.find(name);
    return found == options.end() ? '\0' : found->second;
  };
  Verdict verdict;
  std::string missing;
  for (const KernelOption& option : kKernelOptions) {
    if (!Applies(option, facts.cgroups)) {
      continue;
    }
    const char own = value_of(option.name);
    const char value = own == '\0' && !option.alias.empty() ? value_of(option.alias) : own;
    verdict.details.push_back(DetailOf(option, value));
    if (verdict.details.back().quality == Quality::kBad) {
      missing += fmt::format(" CONFIG_{}", option.name);
    }
  }
  if (!missing.empty()) {
    verdict.errors.push_back(fmt::format("the kernel was built without{}", missing));
  }
  return verdict;
}

Verdict JudgeKernel(const SystemFacts& facts) {
  Verdict verdict;
  const bool known = IsKnownRelease(facts.kernel_release);
  verdict.details.push_back(
      {known ? Quality::kGood : Quality::kWarning, "KERNEL_VERSION", facts.kernel_release});
  if (!known) {
    verdict.warnings.push_back(
        fmt::format("kernel {} is none of the recommended versions: 5.4, 5.10, 5.15, 6 or newer",
                    facts.kernel_release));
  }
  verdict.Append(JudgeKernelConfig(facts));
  return verdict;
}

Verdict JudgeOs(const SystemFacts& facts) {
  const bool linux = facts.kernel_name == "Linux";
  Verdict verdict{.details = {{linux ? Quality::kGood : Quality::kBad, "OS", facts.kernel_name}}};
  if (!linux) {
    verdict.errors.push_back(
        fmt::format("the operating system {} is not supported", facts.kernel_name));
  }
  return verdict;
}

constexpr std::string_view kV1Deprecated =
    "version 1 of control groups is deprecated: the kubelet from 1.35 on refuses it unless its "
    "configuration says failCgroupV1: false and this check is ignored; boot with version 2 "
    "(systemd.unified_cgroup_hierarchy=1). See https://kep.k8s.io/5573";

Verdict JudgeCgroups(const SystemFacts& facts) {
  if (!facts.cgroups) {
    return Verdict::Error("no control groups are mounted; mount cgroup2 at /sys/fs/cgroup");
  }
  const Cgroups& cgroups = *facts.cgroups;
  const bool refuses_v1 = releases::For(facts.kubelet).refuses_cgroup_v1;
  Verdict verdict;
  std::string required;
  std::string optional;
  for (const Controller& controller : kControllers) {
    if (controller.version != cgroups.version) {
      continue;
    }
    std::string name(controller.name);
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    const bool is_required = controller.need == Controller::Need::kRequired;
    const bool has = cgroups.controllers.contains(std::string(controller.name));
    const Quality lack = is_required ? Quality::kBad : Quality::kWarning;
    verdict.details.push_back(
        {has ? Quality::kGood : lack, "CGROUPS_" + name, has ? "enabled" : "missing"});
    if (!has) {
      (is_required ? required : optional) += fmt::format(" {}", controller.name);
    }
  }
  if (cgroups.version == CgroupVersion::kV1 && !refuses_v1) {
    verdict.warnings.emplace_back(kV1Deprecated);
  }
  if (!optional.empty()) {
    verdict.warnings.push_back(fmt::format("missing optional cgroups:{}", optional));
  }
  if (!required.empty()) {
    verdict.errors.push_back(fmt::format("missing required cgroups:{}", required));
  } else if (cgroups.version == CgroupVersion::kV1 && refuses_v1) {
    verdict.errors.emplace_back(kV1Deprecated);
  }
  return verdict;
}

}  // namespace

Verdict JudgeSystem(const SystemFacts& facts) {
  Verdict verdict = JudgeKernel(facts);
  verdict.Append(JudgeOs(facts));
  verdict.Append(JudgeCgroups(facts));
  return verdict;
}

SystemFacts GatherSystem(host::Host& host, const base::Version& kubelet) {
  return {.kernel_name = host.machine.KernelName(),
          .kernel_release = host.machine.KernelRelease(),
          .kernel_config = FindKernelConfig(host),
          .cgroups = GatherCgroups(host),
          .kubelet = kubelet};
}

}  // namespace preflight
