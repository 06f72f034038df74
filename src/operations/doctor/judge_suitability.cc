// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "base/strings.h"
#include "doctor/judge.h"

namespace doctor {
namespace {

using checks::Confidence;
using checks::Severity;

// The longest acceptable time of a synced write. With slower writes etcd loses its leader,
// according to etcd's hardware recommendations.
constexpr std::chrono::milliseconds kSlowSync{10};

// The features that x86-64-v2 adds (x86-64 psABI, micro-architecture levels), with the kernel's
// names.
constexpr std::array kSecondLevel = {"cx16", "lahf_lm", "popcnt", "sse4_1", "sse4_2", "ssse3"};

}  // namespace

void JudgeSync(const Facts& facts, Findings& findings) {
  if (!facts.suitability.sync_time || *facts.suitability.sync_time < kSlowSync) {
    return;
  }
  findings.push_back(
      {.id = "disk-slow",
       .severity = Severity::kWarning,
       .subject = facts.suitability.etcd_disk,
       .what = "the disk is too slow for etcd: it will lose its leader while others write",
       .evidence =
           fmt::format("4 KiB need {:.1f} ms to reach the disk of {} (median); 10 ms are much",
                       static_cast<double>(facts.suitability.sync_time->count()) / 1000,
                       facts.suitability.etcd_disk),
       .remedy = "put /var/lib/etcd on a separate SSD, or find the device that is busy: iostat -x "
                 "1",
       .sure = Confidence::kLikely});
}

void JudgeClockKept(const Facts& facts, Findings& findings) {
  if (facts.suitability.clock_kept.value_or(true)) {
    return;
  }
  findings.push_back({.id = "clock-not-kept",
                      .severity = Severity::kNote,
                      .subject = "clock",
                      .what =
                          "no service synchronizes this machine's clock: certificates and tokens "
                          "are refused between machines whose clocks differ",
                      .evidence = "the kernel calls its clock unsynchronised (adjtimex)",
                      .remedy = "timedatectl set-ntp true, or install chrony"});
}

void JudgeProcessor(const Facts& facts, Findings& findings) {
  if (facts.suitability.processor.empty()) {
    return;
  }
  std::vector<std::string> missing;
  if (facts.suitability.is_x86) {
    std::ranges::copy_if(kSecondLevel, std::back_inserter(missing), [&](const char* name) {
      return !facts.suitability.processor.contains(name);
    });
  }
  if (!missing.empty()) {
    findings.push_back(
        {.id = "processor-old",
         .severity = Severity::kWarning,
         .subject = "processor",
         .what = "images made for x86-64-v2 do not start on this processor: those of RHEL 9 and "
                 "newer, and images built on them",
         .evidence = "/proc/cpuinfo does not list " + base::Join(missing, ", "),
         .remedy =
             "give the virtual machine the host's processor model (cpu mode host-passthrough)"});
  }
  if (!facts.suitability.processor.contains("aes")) {
    findings.push_back({.id = "processor-without-aes",
                        .severity = Severity::kNote,
                        .subject = "processor",
                        .what = "TLS and encrypted Secrets take much processor time here",
                        .evidence = "/proc/cpuinfo does not list aes",
                        .remedy = "give the virtual machine the host's processor model"});
  }
}

void JudgeModules(const Facts& facts, Findings& findings) {
  if (facts.suitability.missing_modules.empty()) {
    return;
  }
  const std::string names = base::Join(facts.suitability.missing_modules, " ");
  findings.push_back(
      {.id = "modules-not-loaded",
       .severity = Severity::kNote,
       .subject = "kernel modules",
       .what = fmt::format("kernel modules are not loaded that containers and Services need: {}",
                           base::Join(facts.suitability.missing_modules, ", ")),
       .evidence = "/proc/filesystems and /proc/sys do not show them",
       .remedy = fmt::format("modprobe -a {}, and a line for each in "
                             "/etc/modules-load.d/kubernetes.conf",
                             names)});
}

void JudgeTwoManagers(const Facts& facts, Findings& findings) {
  if (facts.machine.has_systemd && CgroupDriver(facts.runtime) == "cgroupfs") {
    findings.push_back(
        {.id = "runtime-without-systemd",
         .severity = Severity::kWarning,
         .subject = "container runtime",
         .what = "container runtime and systemd would both manage cgroups: nodes under pressure "
                 "become unstable",
         .evidence = "the runtime's cgroup driver is cgroupfs",
         .remedy = "SystemdCgroup = true in /etc/containerd/config.toml, then systemctl restart "
                   "containerd"});
  }
}

void JudgeSandboxImage(const Facts& facts, Findings& findings) {
  const std::string& used = facts.runtime.sandbox_image;
  if (!used.empty() && used != facts.suitability.pause_image) {
    findings.push_back(
        {.id = "sandbox-image-other",
         .severity = Severity::kNote,
         .subject = "container runtime",
         .what = "the container runtime takes another image for Pods' sandboxes than kubeadm pulls",
         .evidence = fmt::format("{}, not {}", used, facts.suitability.pause_image),
         .remedy = "set it in the runtime's configuration (containerd: sandbox or sandbox_image), "
                   "or see that nodes can pull both"});
  }
}

void JudgeNameServer(const Facts& facts, Findings& findings) {
  if (facts.suitability.has_name_server) {
    return;
  }
  findings.push_back({.id = "no-name-server",
                      .severity = Severity::kWarning,
                      .subject = "/etc/resolv.conf",
                      .what =
                          "this machine has no name server: images cannot be pulled by name, and "
                          "CoreDNS cannot forward what it does not know",
                      .evidence = "/etc/resolv.conf has no line \"nameserver\"",
                      .remedy = "set one, by the network's configuration or in /etc/resolv.conf"});
}

void JudgeSilentServers(const Facts& facts, Findings& findings) {
  if (facts.suitability.silent_servers.empty()) {
    return;
  }
  const bool all = facts.suitability.silent_servers.size() == facts.suitability.name_servers.size();
  const std::string silent = base::Join(facts.suitability.silent_servers, ", ");
  findings.push_back(
      {.id = "name-server-silent",
       .severity = all ? Severity::kWarning : Severity::kNote,
       .subject = silent,
       .what = all ? "no name server answers: images cannot be pulled by name, and CoreDNS cannot "
                     "forward what it does not know"
                   : "a name server does not answer: lookups that ask it take several seconds",
       .evidence = fmt::format("asked for {} over UDP, no answer came from {} within 2 s; "
                               "/etc/resolv.conf names {}",
                               facts.suitability.asked_name, silent,
                               base::Join(facts.suitability.name_servers, ", ")),
       .remedy =
           fmt::format("check whether packets get there (dig @{} {}), or name another server "
                       "in /etc/resolv.conf",
                       facts.suitability.silent_servers.front(), facts.suitability.asked_name)});
}

}  // namespace doctor
