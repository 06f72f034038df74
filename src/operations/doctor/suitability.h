// SPDX-License-Identifier: Apache-2.0
// The suitability of a machine that is not a node yet: properties that the checks of `init` ignore,
// since the cluster would work, but slowly or not for long.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cri/runtime.h"
#include "diagnosis/finding.h"
#include "host/host.h"
#include "host/measures.h"
#include "host/name_servers.h"

namespace doctor {

// Facts about the machine; unseen ones are missing.
struct Suitability {
  std::string etcd_disk;                               // the measured directory
  std::optional<std::chrono::microseconds> sync_time;  // its host::SyncTime
  std::optional<bool> clock_kept;                      // host::IsClockKept
  bool is_x86 = false;
  std::set<std::string> processor;           // its features, by /proc/cpuinfo
  std::vector<std::string> missing_modules;  // kernel modules that are neither loaded nor built in
  bool has_name_server = true;               // /etc/resolv.conf names one
  std::string asked_name;                    // the name that was looked up; "": none
  std::vector<std::string> name_servers;     // the lines that the resolver uses
  std::vector<std::string> silent_servers;   // of these, host::SilentNameServers
  std::string pods_resolv_conf;              // the file with the Pods' name servers
  std::vector<std::string> pods_name_servers;
  bool has_systemd = false;
  std::string cgroup_driver;        // the runtime's; "" if it does not report one
  std::string sandbox_image;        // the runtime's; "" if it does not report one
  std::string pause_image;          // the one that kubeadm would set
  std::vector<std::string> unseen;  // unseen parts, with the reason
};

// The sources. The functions may throw base::Error.
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

// Read-only. It queries the name servers for the registry of the pause image; that takes two
// seconds at most, the disk half a second, and the runtime as long as it needs.
Suitability LookAtSuitability(const SuitabilitySources& sources);

// Returns warnings for problems that will break or slow the cluster, notes for the rest.
std::vector<diagnosis::Finding> JudgeSuitability(const Suitability& facts);

}  // namespace doctor
