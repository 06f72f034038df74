// SPDX-License-Identifier: Apache-2.0
#include "reset/leftovers.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <span>
#include <system_error>

#include "backup/daily.h"
#include "base/error.h"
#include "base/strings.h"
#include "components/table.h"
#include "config/paths.h"
#include "kubeconfigs/load.h"
#include "renewal/daily.h"
#include "reset/bridges.h"
#include "reset/network.h"
#include "reset/node.h"
#include "reset/places.h"
#include "timers/timer.h"

namespace reset {
namespace {

constexpr std::size_t kMostNames = 10;  // of the remaining files in a directory
constexpr std::string_view kCniDirectory = "/etc/cni/net.d";

struct Port {
  int port;
  const char* of;
};

std::vector<Port> Ports() {
  using components::Component;
  return {{RowOf(Component::kApiServer).port, "an API server"},
          {config::kEtcdClientPort, "an etcd"},
          {config::kEtcdPeerPort, "an etcd"},
          {config::kKubeletPort, "a kubelet"},
          {RowOf(Component::kControllerManager).port, "a controller manager"},
          {RowOf(Component::kScheduler).port, "a scheduler"}};
}

// Returns the user's home directory in /etc/passwd (passwd(5): NAME:x:UID:GID:COMMENT:HOME:SHELL);
// "" for an unknown user.
std::string HomeOf(const host::Host& host, const std::string& user) {
  for (const std::string& line : base::Lines(host.files.Find("/etc/passwd").value_or(""))) {
    const std::vector<std::string> fields = base::Split(line, ':');
    if (fields.size() == 7 && fields[0] == user) {
      return fields[5];
    }
  }
  return "";
}

std::optional<kube::Kubeconfig> Load(const host::Files& files, const fs::path& path) {
  try {
    return kubeconfigs::LoadKubeconfig(files, path);
  } catch (const base::Error&) {
    return std::nullopt;  // missing or unusable: it names no server
  }
}

void AddLinksIn(const host::Files& files, const fs::path& path, int levels,
                std::vector<Link>& links) {
  const auto info = files.Stat(path);
  if (info && info->kind == host::FileInfo::Kind::kLink) {
    std::error_code error;
    const fs::path target = fs::weakly_canonical(files.Location(path), error);
    if (!error) {
      links.push_back({.path = path, .target = target});
    }
  } else if (info && info->kind == host::FileInfo::Kind::kDirectory && levels > 0) {
    for (const std::string& name : NamesIn(files, path)) {
      AddLinksIn(files, path / name, levels - 1, links);
    }
  }
}

// Returns true for a file, and for a directory that is not empty.
bool HasSomething(const fs::path& path) {
  std::error_code error;
  return fs::exists(path, error) && !(fs::is_directory(path, error) && fs::is_empty(path, error));
}

void AddFiles(const host::Files& files, const LeftoverQuestion& question,
              std::vector<std::string>& left) {
  for (const fs::path& path : question.removed) {
    if (files.Exists(path)) {
      left.push_back(fmt::format("{} could not be removed", path.string()));
    }
  }
  for (const Link& link : question.links) {
    if (!files.Exists(link.path) && HasSomething(link.target)) {
      left.push_back(fmt::format("{} was a symbolic link; its target {} still exists",
                                 link.path.string(), link.target.string()));
    }
  }
}

void AddPorts(const host::Host& host, std::vector<std::string>& left) {
  for (const Port& each : Ports()) {
    if (host.network.PortProblem("", each.port)) {
      left.push_back(
          fmt::format("something listens on port {}, which is {}'s: a process of the "
                      "cluster may still run",
                      each.port, each.of));
    }
  }
}

void AddNetwork(host::Host& host, std::vector<std::string>& left) {
  if (const auto names = NamesIn(host.files, kCniDirectory); !names.empty()) {
    left.push_back(
        fmt::format("CNI's configuration in {}: {}", kCniDirectory, fmt::join(names, ", ")));
  }
  for (const NetworkStep& step : PlanNetworkCleanup(host)) {
    left.push_back(step.what + " (\"kubeadm reset --all\" removes it)");
  }
  for (const JudgedBridge& bridge : JudgeBridges(host)) {
    if (bridge.why_kept) {
      left.push_back(fmt::format("network bridge {}, which CNI's configuration names: {}",
                                 bridge.name, *bridge.why_kept));
    }
  }
}

// Mentions the timers, which stay: they do no harm, and the next cluster on this machine uses them.
void AddTimers(host::Host& host, std::vector<std::string>& left) {
  const auto scheduler = timers::DetectScheduler(host);
  if (!scheduler) {
    return;
  }
  for (const timers::Task* task : {&renewal::kDaily, &backup::kDaily}) {
    if (!timers::PlanDisable(*task, *scheduler, host.files).empty()) {
      left.push_back(
          fmt::format("the daily timer {} (\"{} disable\" removes it)", task->name, task->group));
    }
  }
}

}  // namespace

std::vector<fs::path> UserKubeconfigs(const host::Host& host) {
  std::vector<fs::path> found;
  const std::string sudo_user = host.environment.Get("SUDO_USER");
  for (const std::string& home :
       {host.environment.Get("HOME"), sudo_user.empty() ? "" : HomeOf(host, sudo_user)}) {
    const fs::path path = fs::path(home) / ".kube/config";
    if (!home.empty() && host.files.Exists(path) && std::ranges::find(found, path) == found.end()) {
      found.push_back(path);
    }
  }
  return found;
}

std::vector<Link> FindLinks(const host::Files& files, const std::vector<fs::path>& paths) {
  constexpr int kLevels = 2;
  std::vector<Link> links;
  for (const fs::path& path : paths) {
    AddLinksIn(files, path, kLevels, links);
  }
  return links;
}

std::optional<std::string> ClusterCa(const host::Files& files) {
  for (const std::string_view name : {config::kAdminConf, config::kKubeletConf}) {
    const auto config = Load(files, fs::path(config::kKubernetesDir) / name);
    if (config && config->CurrentCluster() != nullptr) {
      const std::string& ca = config->CurrentCluster()->certificate_authority_data;
      return ca.empty() ? std::nullopt : std::optional(ca);
    }
  }
  return std::nullopt;
}

Belongs BelongsTo(const host::Files& files, const fs::path& kubeconfig,
                  const std::optional<std::string>& ca) {
  const auto config = Load(files, kubeconfig);
  if (!config || !ca) {
    return Belongs::kNo;
  }
  const auto is_its = [&](const auto& cluster) {
    return cluster.second.certificate_authority_data == ca;
  };
  if (std::ranges::all_of(config->clusters, is_its)) {
    return config->clusters.empty() ? Belongs::kNo : Belongs::kOnly;
  }
  return std::ranges::any_of(config->clusters, is_its) ? Belongs::kPartly : Belongs::kNo;
}

std::vector<std::string> FindLeftovers(host::Host& host, const LeftoverQuestion& question) {
  std::vector<std::string> left;
  for (const fs::path& directory : question.emptied) {
    std::vector<std::string> names = NamesIn(host.files, directory);
    std::erase(names, host::kLostAndFound);
    if (!names.empty()) {
      const std::size_t shown = std::min(names.size(), kMostNames);
      const std::string more =
          names.size() > shown ? fmt::format(" and {} more", names.size() - shown) : "";
      left.push_back(fmt::format("directory {} is not empty: {}{}", directory.string(),
                                 fmt::join(std::span(names).first(shown), ", "), more));
    }
  }
  AddFiles(host.files, question, left);
  for (const fs::path& target : MountsBelow(host.mounts, question.kubelet_dir)) {
    left.push_back("a mount on " + target.string());
  }
  AddPorts(host, left);
  AddNetwork(host, left);
  AddTimers(host, left);
  for (const fs::path& path : question.kubeconfigs) {
    left.push_back(fmt::format("kubeconfig {}, which points to the cluster", path.string()));
  }
  return left;
}

}  // namespace reset
