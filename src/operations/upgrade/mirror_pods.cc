// SPDX-License-Identifier: Apache-2.0
#include "upgrade/mirror_pods.h"

#include <fmt/core.h>

#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "kube/objects.h"
#include "kube/wait.h"
#include "objects/mirror_pod.h"
#include "static_pods/static_pod.h"

namespace upgrade {
namespace {

// A kubelet that reaches the API server replaces its mirror Pods within this time.
constexpr std::chrono::seconds kPatience{3};

// A static Pod whose mirror Pod is missing or outdated.
struct StaleMirror {
  std::string pod;
  std::string problem;
  std::string uid = {};   // "": the mirror Pod is missing, or is being deleted
  bool is_taken = false;  // another node's Pod has the name
};

std::optional<StaleMirror> Judge(components::Component component, const std::string& node,
                                 const json::Value& manifest, kube::Client& client) {
  const std::string name = components::PodName(component, node);
  const std::optional<json::Value> pod =
      client.Find({kube::resources::kPod, kube::kSystemNamespace, name});
  if (!pod) {
    return StaleMirror{.pod = name, .problem = fmt::format("Pod {} is not shown", name)};
  }
  if (!objects::IsMirrorPodOf(*pod, component, node)) {
    return StaleMirror{
        .pod = name,
        .problem = fmt::format("the cluster cannot show {} of this node: Pod \"{}\" in namespace "
                               "\"kube-system\" is on node {}. Find out which user created it, and "
                               "delete it",
                               components::Name(component), name,
                               base::Quoted(json::TextAt(*pod, {"spec", "nodeName"}))),
        .is_taken = true};
  }
  if (static_pods::FirstImage(*pod) == static_pods::FirstImage(manifest)) {
    return std::nullopt;
  }
  const bool is_asked = !json::TextAt(*pod, {"metadata", "deletionTimestamp"}).empty();
  return StaleMirror{.pod = name,
                     .problem = fmt::format("Pod {} is shown with its previous image", name),
                     .uid = is_asked ? "" : json::TextAt(*pod, {"metadata", "uid"})};
}

std::vector<StaleMirror> FindStale(kube::Client& client, const host::Files& files,
                                   const std::string& node) {
  std::vector<StaleMirror> all;
  for (const components::Component component : components::kComponents) {
    if (const auto manifest = static_pods::ReadManifest(files, component)) {
      if (auto stale = Judge(component, node, *manifest, client)) {
        all.push_back(*std::move(stale));
      }
    }
  }
  return all;
}

// Reads the mirror Pods and deletes those that the kubelet leaves stale.
class Mirrors {
 public:
  Mirrors(kube::Client& client, host::Host& host, const std::string& node)
      : client_(client), host_(host), node_(node) {}

  std::optional<kube::NotYet> Ask() {
    std::vector<StaleMirror> all = FindStale(client_, host_.files, node_);
    std::erase_if(all, [this](const StaleMirror& stale) { return IsTaken(stale); });
    for (const StaleMirror& stale : all) {
      if (!stale.uid.empty() && IsLeft(stale)) {
        Discard(stale);
      }
    }
    return all.empty() ? std::nullopt : std::optional(kube::NotYet{all.front().problem});
  }

 private:
  // Returns whether another node's kubelet has taken the name of the mirror Pod. Waiting would not
  // help: this node's kubelet cannot create a Pod of that name, and the other kubelet may keep its
  // Pod indefinitely.
  bool IsTaken(const StaleMirror& stale) {
    if (stale.is_taken && warned_.insert(stale.pod).second) {
      base::LogWarning("{}", stale.problem);
    }
    return stale.is_taken;
  }

  bool IsLeft(const StaleMirror& stale) {
    const auto now = host_.clock.Steady();
    auto& since = stale_since_.try_emplace(stale.uid, now).first->second;
    const bool left = now - since >= kPatience;
    since = left ? now : since;
    return left;
  }

  // Deletes a stale mirror Pod, so that the kubelet recreates it immediately instead of after its
  // retry interval. The deletion has the Pod's grace period, so that the kubelet itself completes
  // the deletion. After a deletion without grace period, the kubelet would notice the missing Pod
  // only by its watch. This watch may reconnect a minute late after repeated restarts of the API
  // server.
  void Discard(const StaleMirror& stale) {
    base::LogInfo(1, "stale mirror Pod {} is deleted, so that its kubelet recreates it", stale.pod);
    try {
      client_.Raw({.verb = kube::Verb::kDelete,
                   .resource = kube::resources::kPod,
                   .name_space = std::string(kube::kSystemNamespace),
                   .name = stale.pod,
                   .body = {{"apiVersion", "v1"},
                            {"kind", "DeleteOptions"},
                            {"preconditions", {{"uid", stale.uid}}}}});
    } catch (const base::Error& error) {
      base::LogInfo(1, "mirror Pod {} could not be deleted: {}", stale.pod, error.message());
    }
  }

  kube::Client& client_;
  host::Host& host_;
  const std::string node_;
  std::map<std::string, std::chrono::steady_clock::time_point> stale_since_;  // by UID
  std::set<std::string> warned_;                                              // names of Pods
};

}  // namespace

kube::Probe FreshMirrors(kube::Client& client, host::Host& host, const std::string& node) {
  return [mirrors = std::make_shared<Mirrors>(client, host, node)](const std::stop_token&) {
    return mirrors->Ask();
  };
}

std::optional<std::string> WaitForMirrors(const MirrorWait& wait) {
  try {
    kube::WaitUntil(kube::PatientProbe(FreshMirrors(wait.client, wait.host, wait.node)),
                    {.clock = wait.host.clock,
                     .most = std::chrono::milliseconds(500),
                     .limit = wait.limit,
                     .stop = wait.stop,
                     .culprit = {}});
    return std::nullopt;
  } catch (const base::Error& error) {
    if (error.kind() != base::Error::Kind::kTimeout) {
      throw;
    }
    return error.message();
  }
}

}  // namespace upgrade
