// SPDX-License-Identifier: Apache-2.0
#include <fmt/core.h>

#include <algorithm>
#include <filesystem>

#include "base/error.h"
#include "base/strings.h"
#include "doctor/parts.h"
#include "doctor/suitability.h"
#include "kubelet/node_config.h"
#include "net/ip_address.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEtcdData = "/var/lib/etcd";
constexpr std::string_view kResolvConf = "/etc/resolv.conf";
constexpr std::size_t kMostServers = 3;  // the resolver asks no more of them (resolv.conf(5))

// A kernel module, and what is there once it is loaded.
struct Module {
  const char* name;
  const char* shown_by;  // a path, or "" for a file system
};
constexpr Module kModules[] = {{"overlay", ""},
                               {"br_netfilter", "/proc/sys/net/bridge"},
                               {"nf_conntrack", "/proc/sys/net/netfilter/nf_conntrack_max"}};

// The directory itself, or the one nearest to it that is there.
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

// The first processor's: others of the same machine have the same.
void ReadProcessor(const host::Files& files, Suitability& facts) {
  for (const std::string& line : base::Lines(files.Find("/proc/cpuinfo").value_or(""))) {
    facts.is_x86 = facts.is_x86 || line.starts_with("flags");
    if (line.starts_with("flags") || line.starts_with("Features")) {
      const auto words = base::Fields(line.substr(line.find(':') + 1));
      facts.processor.insert(words.begin(), words.end());
      return;
    }
  }
}

// The registry that an image comes from; "" for one without a name, such as 192.0.2.5:5000/pause.
std::string RegistryOf(const std::string& image) {
  const std::string registry = image.substr(0, image.find('/'));
  const std::string name = registry.substr(0, registry.find(':'));
  return name.find('.') == std::string::npos || net::IpAddress::Parse(name) ? "" : name;
}

void AskNameServers(const SuitabilitySources& sources, Suitability& facts) {
  const host::Files& files = sources.host.files;
  facts.name_servers = host::NameServersIn(files, std::string(kResolvConf));
  facts.has_name_server = !facts.name_servers.empty();
  facts.name_servers.resize(std::min(facts.name_servers.size(), kMostServers));
  facts.pods_resolv_conf =
      kubelet::ResolvedIsActive(sources.host) ? kubelet::kResolvedResolvConf : kResolvConf;
  facts.pods_name_servers = host::NameServersIn(files, facts.pods_resolv_conf);
  const std::string name = RegistryOf(sources.pause_image);
  if (!name.empty() && facts.has_name_server) {
    facts.asked_name = name;
    facts.silent_servers = sources.silent_name_servers(facts.name_servers, {.name = name});
  }
}

void NoteUnseen(Suitability& facts) {
  if (!facts.sync_time) {
    facts.unseen.push_back(fmt::format(
        "speed of the disk of {}: a file without a name (O_TMPFILE) cannot be written there",
        facts.etcd_disk));
  }
  if (!facts.clock_kept) {
    facts.unseen.emplace_back("whether the clock is kept in step: the kernel does not say");
  }
  if (facts.processor.empty()) {
    facts.unseen.emplace_back("features of the processor: /proc/cpuinfo does not list them");
  }
}

void AskRuntime(const SuitabilitySources& sources, Suitability& facts) try {
  const std::unique_ptr<cri::Runtime> runtime = sources.connect_runtime();
  facts.sandbox_image = runtime->Status().sandbox_image;
  if (const auto driver = runtime->PreferredCgroupDriver()) {
    facts.cgroup_driver = *driver == cri::CgroupDriver::kSystemd ? "systemd" : "cgroupfs";
  }
} catch (const base::Error&) {
  // That it does not answer, the check CRI says.
}

}  // namespace

Suitability LookAtSuitability(const SuitabilitySources& sources) {
  const host::Files& files = sources.host.files;
  Suitability facts{.etcd_disk = Existing(files, kEtcdData).string(),
                    .clock_kept = sources.clock_kept(),
                    .missing_modules = MissingModules(files),
                    .has_systemd = files.Exists("/run/systemd/system"),
                    .cgroup_driver = ConfiguredDriver(files),
                    .pause_image = sources.pause_image};
  facts.sync_time = sources.sync_time(facts.etcd_disk);
  ReadProcessor(files, facts);
  AskNameServers(sources, facts);
  AskRuntime(sources, facts);
  NoteUnseen(facts);
  return facts;
}

}  // namespace doctor
