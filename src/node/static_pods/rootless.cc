// SPDX-License-Identifier: Apache-2.0
#include "static_pods/rootless.h"

#include <fmt/core.h>

#include "config/paths.h"
#include "json/value.h"

namespace static_pods {

namespace fs = std::filesystem;
namespace {

using components::Component;

using Ids = static_pods::RootlessIds::Ids;

constexpr unsigned kPrivate = 0600;
constexpr unsigned kGroupReadable = 0640;

Ids IdsOf(Component component, const static_pods::RootlessIds& ids) {
  switch (component) {
    case Component::kEtcd:
      return ids.etcd;
    case Component::kApiServer:
      return ids.api_server;
    case Component::kControllerManager:
      return ids.controller_manager;
    case Component::kScheduler:
      break;
  }
  return ids.scheduler;
}

// Returns true for the two components that read the service account key. They share a group for it.
bool ReadsServiceAccountKey(Component component) {
  return component == Component::kApiServer || component == Component::kControllerManager;
}

std::vector<std::string> PrivateFiles(Component component,
                                      const config::ClusterConfiguration& cluster,
                                      const HostFacts& facts) {
  const std::string& pki = cluster.certificates_dir;
  std::vector<std::string> files;
  switch (component) {
    case Component::kEtcd:
      return {pki + "/etcd/server.key", pki + "/etcd/peer.key"};
    case Component::kApiServer:
      files = {pki + "/sa.pub", pki + "/apiserver.key", pki + "/apiserver-kubelet-client.key",
               pki + "/front-proxy-client.key"};
      if (!cluster.etcd.external) {
        files.push_back(pki + "/apiserver-etcd-client.key");
      }
      return files;
    case Component::kControllerManager:
      files = {fmt::format("{}/{}", config::kKubernetesDir, config::kControllerManagerConf)};
      if (!facts.external_ca) {
        files.push_back(pki + "/ca.key");
      }
      return files;
    case Component::kScheduler:
      break;
  }
  return {fmt::format("{}/{}", config::kKubernetesDir, config::kSchedulerConf)};
}

}  // namespace

void RunAs(json::Value& pod, Component component, const static_pods::RootlessIds& ids) {
  const Ids own = IdsOf(component, ids);
  json::Value& spec = pod["spec"];
  json::Value& context = spec["securityContext"];
  context["runAsUser"] = own.uid;
  context["runAsGroup"] = own.gid;
  if (ReadsServiceAccountKey(component)) {
    context["supplementalGroups"] = json::Value::array({ids.sa_key_readers});
  }
  json::Value container = {{"capabilities", {{"drop", json::Value::array({"ALL"})}}}};
  if (component == Component::kApiServer) {
    // The API server's port may be below 1024. Binding such a port needs the program's file
    // capability, which takes effect only if privilege escalation is allowed.
    container["capabilities"]["add"] = json::Value::array({"NET_BIND_SERVICE"});
  } else {
    container["allowPrivilegeEscalation"] = false;
  }
  spec["containers"][0]["securityContext"] = std::move(container);
}

std::vector<Ownership> OwnershipFor(Component component,
                                    const config::ClusterConfiguration& cluster,
                                    const static_pods::RootlessIds& ids, const HostFacts& facts) {
  const Ids own = IdsOf(component, ids);
  std::vector<Ownership> list;
  for (const std::string& file : PrivateFiles(component, cluster, facts)) {
    list.push_back({fs::path(file).lexically_normal(), own.uid, own.gid, kPrivate});
  }
  if (ReadsServiceAccountKey(component)) {
    list.push_back({fs::path(cluster.certificates_dir + "/sa.key").lexically_normal(), 0,
                    ids.sa_key_readers, kGroupReadable});
  }
  if (component == Component::kEtcd && cluster.etcd.local) {
    list.push_back({cluster.etcd.local->data_dir, own.uid, own.gid, 0});
  }
  return list;
}

void ApplyOwnership(host::Files& files, const std::vector<Ownership>& list) {
  for (const Ownership& ownership : list) {
    files.SetOwner(ownership.path, ownership.uid, ownership.gid);
    if (ownership.mode != 0) {
      files.SetMode(ownership.path, ownership.mode);
    }
  }
}

bool IsRootless(const config::ClusterConfiguration& cluster) {
  const auto gate = cluster.feature_gates.find("RootlessControlPlane");
  return gate != cluster.feature_gates.end() && gate->second;
}

}  // namespace static_pods
