// SPDX-License-Identifier: Apache-2.0
// Disks, kernel settings, interfaces, and the kubelet with its files.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <expected>
#include <iterator>
#include <set>

#include "base/error.h"
#include "base/number.h"
#include "base/strings.h"
#include "base/threads.h"
#include "doctor/parts.h"
#include "engine/journal.h"
#include "host/disk_space.h"
#include "host/init_system.h"
#include "host/name_servers.h"
#include "kube/wait.h"
#include "kubelet/node_config.h"
#include "kubelet/wait.h"
#include "preflight/judge.h"
#include "yaml/yaml.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

constexpr std::array<const char*, 10> kDiskPaths{"/",
                                                 "/var/lib/etcd",
                                                 "/var/lib/kubelet",
                                                 "/var/lib/containerd",
                                                 "/var/lib/containers",
                                                 "/var/log",
                                                 "/etc/kubernetes",
                                                 "/var/lib",
                                                 "/var",
                                                 "/run"};
constexpr std::array<const char*, 3> kSwitches{
    "net/ipv4/ip_forward", "net/bridge/bridge-nf-call-iptables", "net/ipv6/conf/all/forwarding"};
// Directories whose files show when this host was last in use. Every host writes the last
// directory, even a host that is not a node yet.
constexpr std::array<const char*, 5> kTouched{"/etc/kubernetes", "/etc/kubernetes/pki",
                                              "/etc/kubernetes/manifests", "/var/lib/kubelet",
                                              "/var/log"};

// Within this time a started kubelet on an idle machine either answers its health check or exits.
constexpr std::chrono::milliseconds kSettles{2'000};
constexpr std::chrono::milliseconds kPause{100};

host::RunOptions Asking() { return {.timeout = kCommand, .effect = host::Effect::kAsks}; }

// The disk spaces of kDiskPaths. AskSpaces queries them concurrently, because one path may be on a
// network server that does not answer.
using Spaces =
    std::array<std::expected<std::optional<host::DiskSpace>, std::string>, kDiskPaths.size()>;

Spaces AskSpaces(host::Processes& processes) {
  Spaces spaces;
  base::Threads threads;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    threads.Add([&space = spaces[i], &processes, path = kDiskPaths[i]] {
      try {
        space = host::CollectDiskSpace(processes, path, kCommand);
      } catch (const base::Error& error) {
        space = std::unexpected(error.message());
      }
    });
  }
  threads.Join();
  return spaces;
}

// Returns each file system once. A file system that does not answer is added to `unseen`.
std::vector<Disk> Disks(host::Processes& processes, std::vector<std::string>& unseen) {
  const Spaces spaces = AskSpaces(processes);
  std::vector<Disk> disks;
  std::set<std::uint64_t> seen;
  for (std::size_t i = 0; i < spaces.size(); ++i) {
    if (!spaces[i]) {
      unseen.push_back(fmt::format("how full {} is: {}", kDiskPaths[i], spaces[i].error()));
      continue;
    }
    const std::optional<host::DiskSpace>& space = *spaces[i];
    if (space && space->total > 0 && seen.insert(space->file_system).second) {
      disks.push_back({.path = kDiskPaths[i],
                       .total = space->total,
                       .available = space->available,
                       .inodes = space->inodes,
                       .inodes_available = space->inodes_available});
    }
  }
  return disks;
}

std::vector<NetworkLink> Links(const host::Host& host) {
  std::set<std::string> uplinks;
  for (const host::DefaultRoute& route : host.network.DefaultRoutes()) {
    uplinks.insert(route.interface);
  }
  std::vector<NetworkLink> links;
  for (const host::Interface& interface : host.network.Interfaces()) {
    const std::string mtu =
        host.files.Find(fmt::format("/sys/class/net/{}/mtu", interface.name)).value_or("");
    links.push_back({.name = interface.name,
                     .mtu = base::ParseNumber(base::Trim(mtu)).value_or(0),
                     .default_route = uplinks.contains(interface.name)});
  }
  return links;
}

void AddNewestIn(const host::Files& files, const fs::path& directory, MachineFacts& machine) {
  for (const std::string& name : files.List(directory)) {
    const fs::path path = directory / name;
    const std::optional<host::FileInfo> info = files.Stat(path);
    if (info && (!machine.newest || Seconds(info->modified) > *machine.newest)) {
      machine.newest = Seconds(info->modified);
      machine.newest_what = path.string() + " was written";
    }
  }
}

// Finds the newest of the files that kubeadm, the kubelet and the system's log write.
void AddNewest(const host::Files& files, MachineFacts& machine) {
  for (const char* directory : kTouched) {
    try {
      AddNewestIn(files, directory, machine);
    } catch (const base::Error&) {
      continue;  // missing, or not readable by this user
    }
  }
}

// Adds the operations that have begun. An unreadable journal counts as an operation, too.
void AddUnfinished(const host::Files& files, MachineFacts& machine,
                   std::vector<std::string>& unseen) {
  try {
    for (const engine::Journal& journal : engine::FindUnfinished(files)) {
      machine.unfinished.push_back({.name = journal.operation,
                                    .step = journal.steps.empty() ? "" : journal.steps.back().id,
                                    .journal = engine::JournalPath(journal.operation).string()});
    }
  } catch (const base::Error& error) {
    if (!IsForbidden(error)) {
      unseen.push_back("unfinished operations: " + error.message());
    }
  }
}

MachineFacts LookAtMachine(const host::Host& host, std::vector<std::string>& unseen) {
  MachineFacts machine{.has_systemd = HasSystemd(host.files),
                       .swaps = preflight::SwapDevices(host.files.Find("/proc/swaps").value_or("")),
                       .disks = Disks(host.processes, unseen),
                       .links = Links(host)};
  for (const char* name : kSwitches) {
    if (const auto text = host.files.Find(fs::path("/proc/sys") / name)) {
      machine.switches[name] = base::Trim(*text);
    }
  }
  AddNewest(host.files, machine);
  AddUnfinished(host.files, machine, unseen);
  return machine;
}

void ReadConfig(const host::Files& files, KubeletFacts& kubelet) {
  try {
    const std::string text = files.Read(kubelet::kConfigFile);
    json::Value value = yaml::Parse(text).value;
    if (json::TextAt(value, {"kind"}) != "KubeletConfiguration") {
      kubelet.config_problem = "it is not a KubeletConfiguration";
    }
    kubelet.config = std::move(value);
  } catch (const base::Error& error) {
    if (!IsForbidden(error)) {  // files that this user may not read are reported at the end
      kubelet.config_problem = error.message();
    }
  }
}

void ReadResolvConf(const host::Files& files, KubeletFacts& kubelet) {
  const json::Value config = kubelet.config.value_or(json::Value());
  kubelet.resolv_conf_path = json::TextAt(config, {"resolvConf"});
  if (kubelet.resolv_conf_path.empty()) {
    kubelet.resolv_conf_path = "/etc/resolv.conf";
  }
  kubelet.name_servers = host::NameServersIn(files, kubelet.resolv_conf_path);
}

// systemd reports the number of restarts. Other init systems report only whether the service runs.
void AskSystemd(host::Host& host, KubeletFacts& kubelet) {
  const host::RunResult shown = host.processes.Run(
      {"systemctl", "show", "kubelet", "--property=ActiveState,NRestarts,UnitFileState"}, Asking());
  for (const std::string& line : base::Lines(shown.out)) {
    const std::size_t sign = line.find('=');
    const std::string name = line.substr(0, sign);
    const std::string value = sign == std::string::npos ? "" : line.substr(sign + 1);
    if (name == "ActiveState") {
      kubelet.state = value;
    } else if (name == "NRestarts") {
      kubelet.restarts = base::ParseNumber(value).value_or(0);
    } else if (name == "UnitFileState") {
      kubelet.enabled = value.starts_with("enabled") || value == "static" || value.empty();
    }
  }
  kubelet.service_known = !kubelet.state.empty();
}

void AskService(host::Host& host, KubeletFacts& kubelet) {
  const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(host);
  if (!init_system) {
    return;
  }
  if (init_system->Name() == "systemd") {
    AskSystemd(host, kubelet);
    return;
  }
  kubelet.service_known = init_system->Exists("kubelet");
  kubelet.state = init_system->IsActive("kubelet") ? "active" : "inactive";
  kubelet.enabled = init_system->IsEnabled("kubelet");
}

void ReadLog(const host::Host& host, KubeletFacts& kubelet) {
  if (!host.processes.FindExecutable("journalctl")) {
    return;
  }
  const host::RunResult log = host.processes.Run(
      {"journalctl", "--no-pager", "--output=cat", "--lines=60", "--unit", "kubelet"}, Asking());
  kubelet.last_lines = base::Lines(log.out);
}

// Returns why the health check fails; std::nullopt if it succeeds, or if the kubelet has none.
std::optional<std::string> Unhealthy(const host::Files& files, const KubeletFacts& kubelet,
                                     const std::stop_token& stop) {
  try {
    const std::optional<std::string> url =
        kubelet::HealthzUrlHere(files, kubelet.config.value_or(json::Value::object()));
    if (!url) {
      return std::nullopt;
    }
    const std::optional<kube::NotYet> not_yet = kube::UrlProbe(*url, kShort)(stop);
    return not_yet ? std::optional(not_yet->why) : std::nullopt;
  } catch (const base::Error& error) {
    return error.message();
  }
}

// Queries the kubelet. While it is active but unhealthy, repeats the query for a short time. A
// kubelet that has just started is either not healthy yet or about to exit; the last answer shows
// which.
void AskUntilSettled(host::Host& host, KubeletFacts& kubelet, const std::stop_token& stop) {
  const auto begin = host.clock.Steady();
  do {
    AskService(host, kubelet);
    kubelet.unhealthy = Unhealthy(host.files, kubelet, stop);
  } while (kubelet.service_known && kubelet.state == "active" && kubelet.unhealthy &&
           host.clock.Steady() - begin < kSettles && host.clock.Sleep(kPause, stop));
}

}  // namespace

bool HasSystemd(const host::Files& files) { return files.Exists("/run/systemd/system"); }

Answer CollectMachine(const DoctorSources& sources) {
  std::vector<std::string> unseen;
  MachineFacts machine = LookAtMachine(sources.host, unseen);
  return [machine, unseen](Facts& facts) {
    const std::string hostname = facts.machine.hostname;
    const bool root = facts.machine.root;
    facts.machine = machine;
    facts.machine.hostname = hostname;
    facts.machine.root = root;
    facts.looked_at.push_back(fmt::format("{} disks, swap, kernel settings, {} interfaces",
                                          machine.disks.size(), machine.links.size()));
    std::ranges::copy(unseen, std::back_inserter(facts.unseen));
  };
}

Answer CollectKubelet(const DoctorSources& sources, const std::stop_token& stop) {
  host::Host& host = sources.host;
  KubeletFacts kubelet;
  ReadConfig(host.files, kubelet);
  ReadResolvConf(host.files, kubelet);
  AskUntilSettled(host, kubelet, stop);
  if (kubelet.unhealthy || (kubelet.service_known && kubelet.state != "active")) {
    ReadLog(host, kubelet);
  }
  return [kubelet](Facts& facts) {
    facts.kubelet = kubelet;
    facts.looked_at.emplace_back("kubelet: service, health, configuration");
    if (!kubelet.config && !kubelet.config_problem) {
      facts.unseen.emplace_back("the kubelet's configuration: only root may read it");
    }
  };
}

}  // namespace doctor
