// SPDX-License-Identifier: Apache-2.0
// How well a machine suits that is not a node yet: what the checks of `init` do not look at, since
// it would work all the same, only not well or not for long.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "checks/finding.h"
#include "cri/runtime.h"
#include "host/host.h"
#include "host/measures.h"
#include "host/name_servers.h"

namespace doctor {

// Suitability is what was seen of the machine; what could not be seen is missing.
struct Suitability {
  std::string etcd_disk;                               // the directory where it was measured
  std::optional<std::chrono::microseconds> sync_time;  // host::SyncTime of it
  std::optional<bool> clock_kept;                      // host::IsClockKept
  bool is_x86 = false;
  std::set<std::string> processor;           // its features, as /proc/cpuinfo names them
  std::vector<std::string> missing_modules;  // kernel modules that are neither loaded nor built in
  bool has_name_server = true;               // /etc/resolv.conf names one
  std::string asked_name;                    // what the name servers were asked for; "": nothing
  std::vector<std::string> name_servers;     // of those lines, which the resolver asks
  std::vector<std::string> silent_servers;   // of these, host::SilentNameServers
  std::string pods_resolv_conf;              // the file that Pods would get their servers from
  std::vector<std::string> pods_name_servers;
  bool has_systemd = false;
  std::string cgroup_driver;        // the runtime's; "" when it does not tell
  std::string sandbox_image;        // the runtime's; "" when it does not tell
  std::string pause_image;          // the one that kubeadm would set
  std::vector<std::string> unseen;  // what could not be seen, and why
};

// SuitabilitySources are where that comes from. The functions may throw base::Error.
struct SuitabilitySources {
  host::Host& host;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::string pause_image;
  std::function<std::optional<std::chrono::microseconds>(const std::filesystem::path&)> sync_time =
      host::SyncTime;
  std::function<std::optional<bool>()> clock_kept = host::IsClockKept;
  std::function<std::vector<std::string>(const std::vector<std::string>&, const host::Question&)>
      silent_name_servers = host::SilentNameServers;
};

// LookAtSuitability changes nothing. It asks the name servers for the registry of the pause image;
// that takes two seconds at most, the disk half a second, and the runtime what it takes.
Suitability LookAtSuitability(const SuitabilitySources& sources);

// JudgeSuitability gives warnings for what will break or slow the cluster, notes for the rest.
checks::Findings JudgeSuitability(const Suitability& facts);

}  // namespace doctor
