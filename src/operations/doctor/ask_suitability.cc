// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/strings.h"
#include "doctor/before_init.h"
#include "doctor/parts.h"
#include "kubelet/node_config.h"
#include "net/ip_address.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEtcdData = "/var/lib/etcd";
constexpr std::string_view kResolvConf = "/etc/resolv.conf";
constexpr std::size_t kMostServers = 3;  // the resolver uses no more of them (resolv.conf(5))

// A kernel module, and the sign that it is loaded or built in: a path, or the name of the module in
// /proc/filesystems.
struct Module {
  const char* name;
  const char* shown_by;  // the path; "": /proc/filesystems
};
constexpr Module kModules[] = {{"overlay", ""},
                               {"br_netfilter", "/proc/sys/net/bridge"},
                               {"nf_conntrack", "/proc/sys/net/netfilter/nf_conntrack_max"}};

// Returns the directory, or its nearest existing parent.
fs::path Existing(const host::Files& files, fs::path path) {
  while (path.has_relative_path() && !files.Exists(path)) {
    path = path.parent_path();
  }
  return path;
}

bool HasFileSystem(const host::Files& files, const std::string& name) {
  for (const std::string& line : base::Lines(files.Find("/proc/filesystems").value_or(""))) {
    const std::vector<std::string> words = base::Fields(line);
    if (!words.empty() && words.back() == name) {
      return true;
    }
  }
  return false;
}

std::vector<std::string> MissingModules(const host::Files& files) {
  std::vector<std::string> missing;
  for (const Module& module : kModules) {
    const std::string path = module.shown_by;
    if (path.empty() ? !HasFileSystem(files, module.name) : !files.Exists(path)) {
      missing.emplace_back(module.name);
    }
  }
  return missing;
}

// Reads the features of the first processor: all processors of a machine have the same features.
void ReadProcessor(const host::Files& files, SuitabilityFacts& facts) {
  for (const std::string& line : base::Lines(files.Find("/proc/cpuinfo").value_or(""))) {
    facts.is_x86 = facts.is_x86 || line.starts_with("flags");
    if (line.starts_with("flags") || line.starts_with("Features")) {
      const auto words = base::Fields(line.substr(line.find(':') + 1));
      facts.processor.insert(words.begin(), words.end());
      return;
    }
  }
}

// Returns the registry of an image; "" for a registry without a host name, such as
// 192.0.2.5:5000/pause.
std::string RegistryOf(const std::string& image) {
  const std::string registry = image.substr(0, image.find('/'));
  const std::string name = registry.substr(0, registry.find(':'));
  return name.find('.') == std::string::npos || net::IpAddress::Parse(name) ? "" : name;
}

void AskNameServers(const SuitabilitySources& sources, Facts& facts) {
  const host::Files& files = sources.host.files;
  SuitabilityFacts& suitability = facts.suitability;
  suitability.name_servers = host::NameServersIn(files, std::string(kResolvConf));
  suitability.has_name_server = !suitability.name_servers.empty();
  suitability.name_servers.resize(std::min(suitability.name_servers.size(), kMostServers));
  facts.kubelet.resolv_conf_path =
      kubelet::ResolvedIsActive(sources.host) ? kubelet::kResolvedResolvConf : kResolvConf;
  facts.kubelet.name_servers = host::NameServersIn(files, facts.kubelet.resolv_conf_path);
  const std::string name = RegistryOf(sources.pause_image);
  if (!name.empty() && suitability.has_name_server) {
    suitability.asked_name = name;
    suitability.silent_servers =
        sources.silent_name_servers(suitability.name_servers, {.name = name});
  }
}

void NoteUnseen(Facts& facts) {
  if (!facts.suitability.sync_time) {
    facts.unseen.push_back(fmt::format(
        "speed of the disk of {}: a file without a name (O_TMPFILE) cannot be written there",
        facts.suitability.etcd_disk));
  }
  if (!facts.suitability.clock_kept) {
    facts.unseen.emplace_back("whether the clock is kept in step: the kernel does not say");
  }
  if (facts.suitability.processor.empty()) {
    facts.unseen.emplace_back("features of the processor: /proc/cpuinfo does not list them");
  }
}

void CollectRuntime(const SuitabilitySources& sources, RuntimeFacts& facts) try {
  const std::unique_ptr<cri::Runtime> runtime = sources.connect_runtime();
  facts.sandbox_image = runtime->Status().sandbox_image;
  facts.driver = DriverName(*runtime);
} catch (const base::Error&) {
  return;  // the check CRI reports a runtime that does not answer
}

}  // namespace

void CollectSuitability(const SuitabilitySources& sources, Facts& facts) {
  const host::Files& files = sources.host.files;
  facts.suitability = {.etcd_disk = Existing(files, kEtcdData).string(),
                       .clock_kept = sources.clock_kept(),
                       .missing_modules = MissingModules(files),
                       .pause_image = sources.pause_image};
  facts.suitability.sync_time = sources.sync_time(facts.suitability.etcd_disk);
  facts.machine.has_systemd = HasSystemd(files);
  facts.runtime.configured_driver = ConfiguredDriver(files);
  ReadProcessor(files, facts.suitability);
  AskNameServers(sources, facts);
  CollectRuntime(sources, facts.runtime);
  NoteUnseen(facts);
}

}  // namespace doctor
