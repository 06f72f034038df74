// SPDX-License-Identifier: Apache-2.0
// The Node of a control plane, and the servers in its kubeconfig files. Upgrades change neither.
#include <fmt/core.h>

#include <algorithm>

#include "base/error.h"
#include "config/paths.h"
#include "config_change/parts.h"
#include "kubeconfigs/load.h"
#include "kubeconfigs/specs.h"
#include "objects/mark.h"

namespace config_change {
namespace {

using kubeconfigs::KubeconfigSpec;
using kubeconfigs::Server;

std::string TaintName(const std::string& key, const std::string& effect) {
  return fmt::format("taint {}:{}", key, effect);
}

// Returns the server of the current context; "" if there is none.
std::string ServerOf(const kube::Kubeconfig& kubeconfig) {
  const kube::KubeconfigCluster* cluster = kubeconfig.CurrentCluster();
  return cluster == nullptr ? "" : cluster->server;
}

// Accepts two servers in the kubeconfig: the node's own API server and the control plane's
// endpoint. kubeadm's choice depends on its release.
void AddKubeconfig(const KubeconfigSpec& spec, const Sources& sources, Gathered& gathered) {
  const host::fs::path path = host::fs::path(config::kKubernetesDir) / spec.file;
  if (!sources.host.files.Exists(path)) {
    return;
  }
  const std::string server = ServerOf(kubeconfigs::LoadKubeconfig(sources.host.files, path));
  std::string should = kubeconfigs::ServerUrl(spec.server, gathered.config);
  for (const Server right : {Server::kLocal, Server::kControlPlane}) {
    if (server == kubeconfigs::ServerUrl(right, gathered.config)) {
      should = server;
    }
  }
  gathered.components.push_back({.name = std::string(spec.file),
                                 .node = gathered.config.init.node_registration.name,
                                 .place = path.string(),
                                 .kind = Kind::kValues,
                                 .should = json::Value{{"server", should}},
                                 .disk = json::Value{{"server", server}},
                                 .at_upgrade = AtUpgrade::kLeft});
}

}  // namespace

void AddNode(const json::Value& node, Gathered& gathered) {
  json::Value should = json::Value::object();
  json::Value runs = json::Value::object();
  const json::Value& taints = json::At(node, {"spec", "taints"});
  for (const config::Taint& taint : objects::ControlPlaneTaints(std::nullopt)) {
    const std::string name = TaintName(taint.key, taint.effect);
    should[name] = "present";
    for (const json::Value& each : taints.is_array() ? taints : json::Value::array()) {
      if (TaintName(json::TextAt(each, {"key"}), json::TextAt(each, {"effect"})) == name) {
        runs[name] = "present";
      }
    }
  }
  const std::string label(objects::kControlPlaneLabel);
  should["label " + label] = "present";
  if (!json::At(node, {"metadata", "labels", label}).is_null()) {
    runs["label " + label] = "present";
  }
  const std::string name = json::TextAt(node, {"metadata", "name"});
  gathered.components.push_back({.name = "node",
                                 .node = name,
                                 .place = "Node " + name,
                                 .kind = Kind::kValues,
                                 .should = std::move(should),
                                 .runs = std::move(runs),
                                 .at_upgrade = AtUpgrade::kLeft});
}

void AddThisNode(const Sources& sources, Gathered& gathered) {
  const std::string& name = gathered.config.init.node_registration.name;
  try {
    AddNode(sources.client.Get({kube::resources::kNode, "", name}), gathered);
  } catch (const base::Error& error) {
    gathered.unseen.push_back("this node's taints and labels: " + error.message());
  }
  for (const KubeconfigSpec& spec : kubeconfigs::InitSpecs()) {
    try {
      AddKubeconfig(spec, sources, gathered);
    } catch (const base::Error& error) {
      gathered.unseen.push_back(fmt::format("where {} leads: {}", spec.file, error.message()));
    }
  }
}

}  // namespace config_change
