// SPDX-License-Identifier: Apache-2.0
// The other nodes, according to the API.
#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/error.h"
#include "base/strings.h"
#include "config/addresses.h"
#include "config_change/fields.h"
#include "config_change/gather.h"
#include "config_change/kubelet_defaults.h"
#include "config_change/parts.h"
#include "control_plane/running.h"
#include "json/texts.h"
#include "objects/mirror_pod.h"
#include "stored_config/upload.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using base::Error;
using PodsByComponent = std::map<components::Component, json::Value>;

// The mirror Pods of the control-plane nodes, by node. A node may have none.
std::map<std::string, PodsByComponent> FindPods(kube::Client& client) {
  std::map<std::string, PodsByComponent> found;
  const objects::NodeNames nodes = objects::CollectControlPlaneNodes(client);
  for (const std::string& node : nodes) {
    found.try_emplace(node);
  }
  for (const components::Component component : components::kComponents) {
    for (auto& [node, pod] : objects::CollectControlPlanePods(client, component, nodes)) {
      found[node].insert_or_assign(component, std::move(pod));
    }
  }
  return found;
}

// Returns the cluster's configuration, completed for a control-plane node.
config::Init ConfigOf(const std::string& node, const PodsByComponent& pods, config::Init config) {
  config.init.node_registration.name = node;
  const auto server = pods.find(components::Component::kApiServer);
  if (server != pods.end()) {
    const net::HostPort parts = static_pods::AdvertisedEndpointOf(server->second).Parts();
    config.init.local_api_endpoint = {.advertise_address = parts.host,
                                      .bind_port = parts.PortNumber().value_or(0)};
  }
  return config;
}

std::optional<std::string> VersionOf(const PodsByComponent& pods) {
  std::set<std::string> tags;
  for (const components::Component component : components::kControlPlane) {
    const auto pod = pods.find(component);
    tags.insert(pod == pods.end()
                    ? ""
                    : control_plane::ImageTag(static_pods::FirstImage(pod->second).value_or("")));
  }
  return CommonVersion(tags);
}

json::Value PodFor(components::Component component, const config::Init& config,
                   const json::Value& running, const host::Host& host) {
  if (component == components::Component::kEtcd &&
      static_pods::CommandArg(running, "initial-cluster-state") == "existing") {
    return static_pods::JoiningEtcdPod(
        config, static_pods::CommandArg(running, "initial-cluster").value_or(""));
  }
  return static_pods::StaticPod(component, config, static_pods::CollectFacts(host, config.cluster));
}

// Skips a node of another version: the defaults of its release are unknown here.
void AddControlPlane(const std::string& node, const PodsByComponent& pods, const Sources& sources,
                     const config::Init& cluster, Gathered& gathered) {
  const std::optional<std::string> version = VersionOf(pods);
  if (version && *version != cluster.cluster.kubernetes_version) {
    gathered.notes.push_back(fmt::format("{} is at {}: run 'kubeadm drift' there", node, *version));
    return;
  }
  const config::Init config = ConfigOf(node, pods, cluster);
  for (const auto& [component, pod] : pods) {
    gathered.components.push_back(
        {.name = std::string(components::Name(component)),
         .node = node,
         .place = fmt::format("Pod kube-system/{}", components::PodName(component, node)),
         .kind = Kind::kStaticPod,
         .should = Finished(component, PodFor(component, config, pod, sources.host), sources,
                            config, nullptr),
         .runs = pod,
         .seen = Seen::kMirror,
         .patches_known = false});
  }
}

json::Value StoredKubelet(kube::Client& client) {
  const json::Value map = client.Get(
      {kube::resources::kConfigMap, "kube-system", std::string(stored_config::kKubeletConfigMap)});
  return yaml::Parse(json::TextAt(map, {"data", stored_config::kKubeletConfigKey})).value;
}

// Returns the arguments of this node's kubelet, on disk and of the process ("--max-pods").
std::set<std::string> FlagsHere(const Gathered& here) {
  std::set<std::string> flags;
  const auto own = std::ranges::find(here.components, Kind::kArguments, &Component::kind);
  if (own == here.components.end()) {
    return flags;
  }
  for (const std::optional<json::Value>* side : {&own->disk, &own->runs}) {
    if (*side) {
      for (const auto& [flag, value] :
           KubeletFlagFields(json::TextsIn(json::At(**side, {"args"})))) {
        flags.insert(flag);
      }
    }
  }
  return flags;
}

// The default values that a kubelet of this node's version shows.
struct Usual {
  Fields fields;
  // Fields that depend on the node, and fields whose default is unknown.
  std::set<std::string> incomparable;
  std::vector<std::string> unknown;  // the fields whose default is unknown
};

// Returns this node's values as the expected settings of other kubelets. A setting that this node's
// files or arguments set has the kubelet's default instead. Returns std::nullopt if this node's
// kubelet did not answer.
std::optional<Usual> UsualSettings(const Gathered& here) {
  const auto own = std::ranges::find(here.components, Kind::kSettings, &Component::kind);
  if (own == here.components.end() || !own->runs || !own->disk) {
    return std::nullopt;
  }
  const Fields on_disk = SettingFields(*own->disk);
  const std::set<std::string> flags = FlagsHere(here);
  Usual usual{.fields = {},
              .incomparable = {"apiVersion", "containerRuntimeEndpoint", "kind", "providerID",
                               "registerWithTaints", "resolvConf"},
              .unknown = {}};
  for (const auto& [field, value] : SettingFields(*own->runs)) {
    if (usual.incomparable.contains(field)) {
      continue;
    }
    const std::optional<json::Value> by_default = FindKubeletDefault(field);
    if (!on_disk.contains(field) && !IsGivenByFlag(field, flags)) {
      usual.fields.emplace(field, value);
    } else if (!by_default) {
      usual.incomparable.insert(field);
      usual.unknown.push_back(field);
    } else if (!by_default->is_null()) {
      usual.fields.emplace(field, *by_default);
    }
  }
  return usual;
}

void AddUsual(const Usual& usual, Component& kubelet) {
  kubelet.usual = usual.fields;
  kubelet.incomparable = usual.incomparable;
}

// Reports the fields whose default is unknown. Leaves out fields that the stored configuration
// sets, because they are compared with that configuration.
void NoteUnknown(const Usual& usual, const json::Value& stored, std::vector<std::string>& unseen) {
  std::vector<std::string> unknown = usual.unknown;
  const Fields known = SettingFields(stored);
  std::erase_if(unknown, [&](const std::string& field) { return known.contains(field); });
  if (!unknown.empty()) {
    unseen.push_back(fmt::format(
        "other kubelets' {}: this node's kubelet sets it, and its default is not known: run "
        "'kubeadm drift' there",
        base::Join(unknown, ", ")));
  }
}

std::string KubeletVersion(const json::Value& node) {
  return json::TextAt(node, {"status", "nodeInfo", "kubeletVersion"});
}

// Adds a note, not an edit, about a kubelet of another version: an upgrade of the node changes the
// version.
void NoteKubelet(const json::Value& node, const Gathered& here, Gathered& gathered) {
  const std::string version = KubeletVersion(node);
  if (version != here.version) {
    gathered.notes.push_back(
        fmt::format("the kubelet of {} is {}, the cluster's configuration "
                    "names {}",
                    json::TextAt(node, {"metadata", "name"}), version, here.version));
  }
}

}  // namespace

Gathered CollectOthers(const Sources& sources, const Gathered& here) {
  Gathered gathered;
  const std::string& own = here.config.init.node_registration.name;
  const std::map<std::string, PodsByComponent> pods = FindPods(sources.client);
  const json::Value stored = StoredKubelet(sources.client);
  const std::vector<json::Value> nodes = sources.client.List(kube::resources::kNode, "");
  const auto is_own = [&](const json::Value& node) {
    return json::TextAt(node, {"metadata", "name"}) == own;
  };
  const auto own_node = std::ranges::find_if(nodes, is_own);
  const std::optional<Usual> usual = UsualSettings(here);
  for (const json::Value& node : nodes) {
    NoteKubelet(node, here, gathered);
    if (is_own(node)) {
      continue;
    }
    const std::string name = json::TextAt(node, {"metadata", "name"});
    if (const auto found = pods.find(name); found != pods.end()) {
      AddNode(node, gathered);
      if (found->second.empty()) {
        gathered.unseen.push_back(
            fmt::format("the control plane of {}: the cluster shows none of its Pods", name));
      } else {
        AddControlPlane(name, found->second, sources, here.config, gathered);
      }
    }
    const bool same = own_node != nodes.end() && KubeletVersion(*own_node) == KubeletVersion(node);
    Component kubelet{.name = "kubelet",
                      .node = name,
                      .place = "the kubelet's /configz",
                      .kind = Kind::kSettings,
                      .should = stored,
                      .patches_known = false};
    if (same && usual) {
      AddUsual(*usual, kubelet);
    }
    AddRunningKubelet(sources.client, kubelet, gathered.unseen);
    gathered.components.push_back(std::move(kubelet));
  }
  if (usual) {
    NoteUnknown(*usual, stored, gathered.unseen);
  }
  return gathered;
}

}  // namespace config_change
