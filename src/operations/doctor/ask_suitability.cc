// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "base/error.h"
#include "base/strings.h"
#include "doctor/parts.h"
#include "doctor/suitability.h"

namespace doctor {
namespace {

namespace fs = std::filesystem;

constexpr const char* kEtcdData = "/var/lib/etcd";

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

bool HasNameServer(const host::Files& files) {
  for (const std::string& line : base::Lines(files.Find("/etc/resolv.conf").value_or(""))) {
    if (line.starts_with("nameserver")) {
      return true;
    }
  }
  return false;
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
                    .has_name_server = HasNameServer(files),
                    .has_systemd = files.Exists("/run/systemd/system"),
                    .cgroup_driver = ConfiguredDriver(files),
                    .pause_image = sources.pause_image};
  facts.sync_time = sources.sync_time(facts.etcd_disk);
  ReadProcessor(files, facts);
  AskRuntime(sources, facts);
  return facts;
}

}  // namespace doctor
