// SPDX-License-Identifier: Apache-2.0
// Clock, disks, kernel settings, container runtime.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <numeric>

#include "base/rows.h"
#include "base/strings.h"
#include "doctor/judge.h"
#include "json/rfc3339.h"
#include "json/value.h"
#include "net/ip_address.h"
#include "preflight/judge.h"

namespace doctor {
namespace {

using checks::Confidence;
using checks::Severity;

// A smaller skew is not reported: certificates are valid from a few minutes before their issue, and
// Leases and dates may be seconds late.
constexpr seconds kMuchSkew{60};
// With a larger skew, tokens and new certificates are refused.
constexpr seconds kBrokenSkew{300};
constexpr seconds kFuture{120};

std::string SkewText(seconds ahead) {
  const auto count = std::abs(ahead.count());
  return fmt::format("{}h{:02}m{:02}s", count / 3600, count / 60 % 60, count % 60);
}

// Returns the median of the differences from the servers' clocks, so that a single wrong server has
// no effect.
std::optional<seconds> Ahead(const Facts& facts) {
  std::vector<seconds> ahead;
  for (const EndpointFact& endpoint : facts.endpoints) {
    if (endpoint.ahead) {
      ahead.push_back(*endpoint.ahead);
    }
  }
  if (ahead.empty()) {
    return std::nullopt;
  }
  std::ranges::sort(ahead);
  return ahead[ahead.size() / 2];
}

bool JudgeServersClock(const Facts& facts, Findings& findings) {
  const std::optional<seconds> ahead = Ahead(facts);
  if (!ahead || std::chrono::abs(*ahead) < kMuchSkew) {
    return false;
  }
  const EndpointFact& server = base::RowOf(facts.endpoints, ahead, &EndpointFact::ahead);
  findings.push_back(
      {.id = "clock-off",
       .severity = std::chrono::abs(*ahead) >= kBrokenSkew ? Severity::kError : Severity::kWarning,
       .subject = "clock",
       .what = fmt::format("the clock of this machine is {} {} that of the API server",
                           SkewText(*ahead), *ahead > seconds(0) ? "behind" : "ahead of"),
       .evidence = fmt::format("it is {} here, and {} at {}", json::FormatRfc3339(facts.now),
                               json::FormatRfc3339(facts.now + *ahead), server.url),
       .remedy = "set the clock, and keep it by NTP: timedatectl set-ntp true (or chronyc "
                 "makestep)"});
  return true;
}

// Reports a clock that is behind, if files have times in the future. These times come from a clock
// that was right, or that was wrong then.
bool JudgeFuture(const Facts& facts, Findings& findings) {
  std::optional<sys_seconds> newest = facts.machine.newest;
  std::string what = facts.machine.newest_what;
  int early = newest && *newest >= facts.now + kFuture ? 2 : 0;
  for (const CertificateFact& certificate : facts.certificates) {
    if (certificate.not_before && *certificate.not_before >= facts.now + kFuture) {
      ++early;
      if (!newest || *certificate.not_before > *newest) {
        newest = certificate.not_before;
        what = certificate.path + " is valid";
      }
    }
  }
  if (early < 2) {
    return false;  // a single certificate from the future is itself wrong
  }
  findings.push_back(
      {.id = "clock-behind",
       .subject = "clock",
       .what = fmt::format("the clock of this machine is at least {} behind",
                           SkewText(*newest - facts.now)),
       .evidence = fmt::format("it is {} here, and {} from {} on", json::FormatRfc3339(facts.now),
                               what, json::FormatRfc3339(*newest)),
       .remedy = "set the clock, and keep it by NTP: timedatectl set-ntp true (or "
                 "chronyc makestep)",
       .sure = Confidence::kLikely});
  return true;
}

// Reports a node whose clock is ahead: by the server's clock, the node has renewed its Lease in the
// future.
void JudgeOtherClocks(const Facts& facts, Findings& findings) {
  const sys_seconds now = facts.cluster.server_time.value_or(facts.now);
  for (const NodeFact& node : facts.cluster.nodes) {
    if (node.name != facts.node_name && node.renewed && *node.renewed > now + kMuchSkew) {
      findings.push_back({.id = "clock-of-other-node",
                          .severity = Severity::kWarning,
                          .subject = node.name,
                          .what = fmt::format("the clock of node {} is {} ahead", node.name,
                                              SkewText(*node.renewed - now)),
                          .evidence = fmt::format(
                              "its lease says that it was renewed at {}, and it is only {} now",
                              json::FormatRfc3339(*node.renewed), json::FormatRfc3339(now)),
                          .remedy = fmt::format(
                              "on {}: timedatectl set-ntp true (or chronyc makestep)", node.name)});
    }
  }
}

constexpr std::uint64_t kMib = 1U << 20U;

std::string SizeText(std::uint64_t bytes) {
  return bytes < 10'240 * kMib ? fmt::format("{} MiB", bytes / kMib)
                               : fmt::format("{} GiB", bytes / kMib / 1024);
}

// Returns whether less than 100 MiB is available, or less than 2 % of a small file system.
bool IsFull(const Disk& disk) {
  return disk.available < std::min<std::uint64_t>(100 * kMib, disk.total / 50);
}
bool IsNearlyFull(const Disk& disk) {
  return disk.available < std::min<std::uint64_t>(2048 * kMib, disk.total / 20);
}
bool HasNoInodes(const Disk& disk) { return disk.inodes > 0 && disk.inodes_available < 100; }

struct Overlay {
  std::string_view prefix;
  int overhead;  // bytes of the encapsulation
};
constexpr std::array<Overlay, 7> kPodLinks = {{{"flannel", 50},
                                               {"vxlan", 50},
                                               {"cilium_vxlan", 50},
                                               {"tunl", 20},
                                               {"cni", 0},
                                               {"cali", 0},
                                               {"weave", 0}}};

bool AnythingFails(const Facts& facts) {
  return facts.kubelet.unhealthy.has_value() || !facts.unhealthy.empty();
}

// Reports a switch below /proc/sys that exists and is off.
void JudgeSwitch(const std::string& name, Severity severity, const char* what, const Facts& facts,
                 Findings& findings) {
  const auto found = facts.machine.switches.find(name);
  if (found == facts.machine.switches.end() || preflight::IsSwitchedOn(found->second)) {
    return;
  }
  const std::string path = "/proc/sys/" + name;
  findings.push_back({.severity = severity,
                      .subject = preflight::SysctlName(path),
                      .what = what,
                      .evidence = fmt::format("{} is {}", path, found->second),
                      .remedy = preflight::SysctlRemedy(path)});
}

bool IsLoopback(const std::string& address) {
  const auto read = net::IpAddress::Parse(address);
  return read && read->IsLoopback();
}

}  // namespace

// Reports unfinished operations: between two steps, a node may have parts of both configurations.
void JudgeUnfinished(const Facts& facts, Findings& findings) {
  for (const UnfinishedOperation& each : facts.machine.unfinished) {
    findings.push_back(
        {.id = "operation-unfinished",
         .severity = Severity::kError,
         .subject = each.name,
         .what = fmt::format("the operation '{}' has begun on this machine and is not complete",
                             each.name),
         .evidence = each.step.empty()
                         ? fmt::format("its journal is {}", each.journal)
                         : fmt::format("the last step is '{}', in {}", each.step, each.journal),
         .remedy = "unless it runs now: run the same command again, which continues it, before "
                   "you repair anything else"});
  }
}

void JudgeClock(const Facts& facts, Findings& findings) {
  if (!JudgeServersClock(facts, findings)) {
    JudgeFuture(facts, findings);
  }
  JudgeOtherClocks(facts, findings);
}

void JudgeDisks(const Facts& facts, Findings& findings) {
  for (const Disk& disk : facts.machine.disks) {
    const bool full = IsFull(disk) || HasNoInodes(disk);
    if (!full && !IsNearlyFull(disk)) {
      continue;
    }
    findings.push_back(
        {.id = full ? "disk-full" : "disk-nearly-full",
         .severity = full ? Severity::kError : Severity::kWarning,
         .subject = disk.path,
         .what = fmt::format("the disk of {} is {}full", disk.path, full ? "" : "nearly "),
         .evidence =
             HasNoInodes(disk)
                 ? fmt::format("{} of {} inodes are left", disk.inodes_available, disk.inodes)
                 : fmt::format("{} of {} are left", SizeText(disk.available), SizeText(disk.total)),
         .remedy = fmt::format("see what uses the space: du -xh --max-depth=2 {} | sort -h | tail; "
                               "unused images: crictl rmi --prune",
                               disk.path)});
  }
}

// If the kubelet's configuration is unreadable, does nothing, because the kubelet may tolerate
// swap.
void JudgeSwap(const Facts& facts, Findings& findings) {
  using Kubelet = preflight::SwapFacts::Kubelet;
  if (facts.kubelet.config) {
    checks::Append(findings,
                   preflight::JudgeSwap(
                       {.devices = facts.machine.swaps,
                        .setting = preflight::SwapSetting(*facts.kubelet.config),
                        .kubelet = facts.kubelet.unhealthy ? Kubelet::kFails : Kubelet::kRuns}));
  }
}

void JudgeForwarding(const Facts& facts, Findings& findings) {
  JudgeSwitch("net/ipv4/ip_forward", Severity::kError,
              "this machine forwards no packets: Pods cannot reach other nodes", facts, findings);
}

void JudgeBridge(const Facts& facts, Findings& findings) {
  JudgeSwitch("net/bridge/bridge-nf-call-iptables", Severity::kWarning,
              "packets on bridges pass by iptables: Services may not work for Pods of one node",
              facts, findings);
}

void JudgeMtu(const Facts& facts, Findings& findings) {
  const auto uplink = std::ranges::find(facts.machine.links, true, &NetworkLink::default_route);
  if (uplink == facts.machine.links.end() || uplink->mtu <= 0) {
    return;
  }
  for (const NetworkLink& link : facts.machine.links) {
    const auto row = std::ranges::find_if(
        kPodLinks, [&](const Overlay& overlay) { return link.name.starts_with(overlay.prefix); });
    if (row != kPodLinks.end() && link.mtu > uplink->mtu - row->overhead) {
      findings.push_back(
          {.id = "mtu-too-large",
           .severity = Severity::kWarning,
           .subject = link.name,
           .what = fmt::format("packets of Pods may be too large for {}: big answers get lost",
                               uplink->name),
           .evidence = fmt::format("{} has an MTU of {}, {} one of {}; the tunnel takes {}",
                                   link.name, link.mtu, uplink->name, uplink->mtu, row->overhead),
           .remedy = fmt::format("set the network add-on's MTU to {}", uplink->mtu - row->overhead),
           .sure = Confidence::kLikely});
      return;
    }
  }
}

// Reports name servers that CoreDNS cannot use. CoreDNS queries the servers in the file that the
// kubelet passes on. If one of them is CoreDNS itself, queries loop.
void JudgePodsNameServers(const Facts& facts, Findings& findings) {
  const KubeletFacts& kubelet = facts.kubelet;
  const json::Value config = kubelet.config.value_or(json::Value());
  const json::Value& own = json::At(config, {"clusterDNS"});
  for (const std::string& server : kubelet.name_servers) {
    const bool loops = own.is_array() && std::ranges::find(own, json::Value(server)) != own.end();
    if (!IsLoopback(server) && !loops) {
      continue;
    }
    findings.push_back(
        {.id = "resolv-conf-loop",
         .severity = Severity::kWarning,
         .subject = kubelet.resolv_conf_path,
         .what = loops ? "the cluster's DNS asks itself for names that it does not know"
                       : "Pods get a name server that only this machine can reach; CoreDNS would "
                         "ask itself",
         .evidence = fmt::format("\"nameserver {}\" in {}", server, kubelet.resolv_conf_path),
         .remedy = facts.role == Role::kNone
                       ? "give init a configuration file with a KubeletConfiguration whose "
                         "resolvConf names a file with the real name servers"
                       : "name a file with the real name servers as resolvConf in "
                         "/var/lib/kubelet/config.yaml (with systemd-resolved: "
                         "/run/systemd/resolve/resolv.conf), then systemctl restart kubelet"});
    return;
  }
}

std::string CgroupDriver(const RuntimeFacts& runtime) {
  return runtime.driver.empty() ? runtime.configured_driver : runtime.driver;
}

void JudgeCgroupDriver(const Facts& facts, Findings& findings) {
  const std::string driver = CgroupDriver(facts.runtime);
  const json::Value& config = facts.kubelet.config ? *facts.kubelet.config : json::Value();
  const std::string wanted = json::TextAt(config, {"cgroupDriver"});
  if (driver == "systemd" && !facts.machine.has_systemd) {
    findings.push_back(
        {.id = "cgroup-driver-without-systemd",
         .subject = "container runtime",
         .what = "the container runtime makes cgroups by systemd, which does not run here: no "
                 "container can start",
         .evidence = "its cgroup driver is systemd, and there is no /run/systemd/system",
         .remedy =
             "SystemdCgroup = false in /etc/containerd/config.toml, then restart containerd"});
  }
  if (driver.empty() || wanted.empty() || wanted == driver) {
    return;
  }
  findings.push_back(
      {.id = "cgroup-driver-mismatch",
       .severity = AnythingFails(facts) ? Severity::kError : Severity::kWarning,
       .subject = "cgroup driver",
       .what = "kubelet and container runtime are set to different cgroup drivers",
       .evidence =
           fmt::format("the kubelet's configuration says {}, the runtime {}", wanted, driver),
       .remedy =
           "let both be the same: cgroupDriver in /var/lib/kubelet/config.yaml, SystemdCgroup "
           "in /etc/containerd/config.toml; then systemctl restart containerd kubelet",
       .sure = facts.runtime.driver.empty() ? Confidence::kLikely : Confidence::kCertain});
}

void JudgeRuntime(const Facts& facts, Findings& findings) {
  const RuntimeFacts& runtime = facts.runtime;
  if (runtime.problem) {
    Finding dead = components::RuntimeIsDead(*runtime.problem);
    if (runtime.service_known && !runtime.service_active) {
      dead.what = fmt::format("the container runtime does not run: {} is stopped", runtime.service);
      dead.remedy = fmt::format("systemctl start {}", runtime.service);
    }
    dead.sure = Confidence::kCertain;
    findings.push_back(std::move(dead));
  } else if (!runtime.ready) {
    findings.push_back({.id = "runtime-not-ready",
                        .subject = "container runtime",
                        .what = "the container runtime answers, but is not ready",
                        .evidence = runtime.message,
                        .remedy = "read its log: journalctl -xeu containerd"});
  } else if (!runtime.network_ready) {
    findings.push_back({.id = "network-not-ready",
                        .subject = "network of Pods",
                        .what = "Pods have no network: there is no network add-on that works",
                        .evidence = runtime.message,
                        .remedy = "install a network add-on; its configuration belongs into "
                                  "/etc/cni/net.d, its programs into /opt/cni/bin"});
  }
}

}  // namespace doctor
