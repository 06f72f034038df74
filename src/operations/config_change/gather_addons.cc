// SPDX-License-Identifier: Apache-2.0
// kube-proxy and CoreDNS: their objects in the cluster.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "addons/coredns.h"
#include "addons/corefile.h"
#include "addons/kube_proxy.h"
#include "base/error.h"
#include "config/component_configs.h"
#include "config_change/parts.h"
#include "join_secrets/bootstrap_rules.h"
#include "objects/rbac.h"
#include "releases/releases.h"
#include "stored_config/upload.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using base::Error;

constexpr const char* kNamespace = "kube-system";

json::Value Patched(json::Value object, std::string_view target, patch::Schema schema,
                    const node_input::PatchSet* patches) {
  return patches == nullptr
             ? object
             : node_input::ApplyPatches(*patches, target, std::move(object), schema).value;
}

// Adds kube-proxy's DaemonSet. Its image may have another version until all nodes are upgraded.
void AddDaemonSet(const Sources& sources, Gathered& gathered) {
  Component proxy{.name = "kube-proxy",
                  .node = "",
                  .place = "DaemonSet kube-system/kube-proxy",
                  .kind = Kind::kDaemonSet};
  proxy.runs = sources.client.Find({kube::resources::kDaemonSet, kNamespace, "kube-proxy"});
  proxy.should =
      Patched(addons::KubeProxyDaemonSet(gathered.config.cluster, {}),
              node_input::kKubeProxyDaemonSetTarget, patch::Schema::kDaemonSet, sources.patches);
  if (proxy.runs) {
    gathered.components.push_back(std::move(proxy));
  }
}

// A kind of objects that belong to the addons or to kubeadm.
struct ObjectKind {
  const kube::Resource* resource;
  // Set if an upgrade overwrites the whole object. Other objects are compared by other functions.
  bool written_whole;
};
constexpr std::array kObjectKinds = std::to_array<ObjectKind>({
    {&kube::resources::kService, true},
    {&kube::resources::kServiceAccount, true},
    {&kube::resources::kRole, true},
    {&kube::resources::kRoleBinding, true},
    {&kube::resources::kClusterRole, true},
    {&kube::resources::kClusterRoleBinding, true},
    {&kube::resources::kConfigMap, false},
    {&kube::resources::kDaemonSet, false},
    {&kube::resources::kDeployment, false},
});

void AddObject(const std::string& name, const ObjectKind& kind, const json::Value& object,
               const Sources& sources, Gathered& gathered) {
  const std::string object_name = json::TextAt(object, {"metadata", "name"});
  auto runs = sources.client.Find(
      {*kind.resource, json::TextAt(object, {"metadata", "namespace"}), object_name});
  if (runs && !kind.written_whole) {
    return;
  }
  Component component{.name = name,
                      .node = "",
                      .place = std::string(kind.resource->kind) + " " + object_name,
                      .kind = Kind::kObject,
                      .should = object,
                      .runs = std::move(runs)};
  if (component.runs) {
    (*component.runs)["kind"] = kind.resource->kind;
  }
  component.deleted = !component.runs;
  gathered.components.push_back(std::move(component));
}

void AddObjects(const std::string& name, const std::vector<json::Value>& objects,
                const Sources& sources, Gathered& gathered) {
  for (const json::Value& object : objects) {
    const auto* const kind =
        std::ranges::find(kObjectKinds, json::TextAt(object, {"kind"}),
                          [](const ObjectKind& each) { return std::string(each.resource->kind); });
    if (kind != kObjectKinds.end()) {
      AddObject(name, *kind, object, sources, gathered);
    }
  }
}

// Returns the ConfigMap without the keys that AddProxyConfig compares separately.
Component RestOfProxyMap(json::Value should, json::Value runs) {
  for (json::Value* map : {&should, &runs}) {
    (*map)["kind"] = kube::resources::kConfigMap.kind;
    if (map->contains("data")) {
      for (const char* own : {"config.conf", "kubeconfig.conf"}) {
        (*map)["data"].erase(own);
      }
    }
  }
  return {.name = "kube-proxy",
          .node = "",
          .place = "ConfigMap kube-system/kube-proxy",
          .kind = Kind::kObject,
          .should = std::move(should),
          .runs = std::move(runs)};
}

json::Value Document(const json::Value& map, const std::string& key) {
  const std::string place = "key " + key + " of ConfigMap kube-system/kube-proxy";
  return base::WithContext(place, [&] {
    return json::Value{{key, yaml::Parse(json::TextAt(map, {"data", key})).value}};
  });
}

// Compares kube-proxy's configuration. An upgrade reads the configuration from the ConfigMap,
// unless its hash shows that kubeadm has generated it. The upgrade also rewrites the API server's
// address in it.
void AddProxyConfig(const Sources& sources, const config::StoredConfig& stored,
                    Gathered& gathered) {
  const auto map = sources.client.Find({kube::resources::kConfigMap, kNamespace, "kube-proxy"});
  if (!map || !stored.kube_proxy) {
    return;
  }
  const config::Init& config = gathered.config;
  Component settings{.name = "kube-proxy",
                     .place = "ConfigMap kube-system/kube-proxy",
                     .kind = Kind::kValues,
                     .runs = Document(*map, "config.conf"),
                     .at_upgrade = AtUpgrade::kLeft};
  settings.should =
      stored.kube_proxy->generated
          ? *settings.runs
          : json::Value{{"config.conf", config::KubeProxyWithDefaults(
                                            json::Value(), config.cluster,
                                            config.init.local_api_endpoint.advertise_address)}};
  gathered.components.push_back(std::move(settings));
  gathered.components.push_back(
      {.name = "kube-proxy",
       .node = "",
       .place = "ConfigMap kube-system/kube-proxy",
       .kind = Kind::kValues,
       .should = Document(addons::KubeProxyConfigMap(config), "kubeconfig.conf"),
       .runs = Document(*map, "kubeconfig.conf")});
  gathered.components.push_back(RestOfProxyMap(addons::KubeProxyConfigMap(config), *map));
}

void AddCoreDns(const Sources& sources, Gathered& gathered) {
  Component dns{.name = "coredns",
                .node = "",
                .place = "Deployment kube-system/coredns",
                .kind = Kind::kDeployment};
  dns.runs = sources.client.Find({kube::resources::kDeployment, kNamespace, "coredns"});
  if (!dns.runs) {
    return;
  }
  dns.should =
      Patched(addons::CoreDnsDeployment(gathered.config.cluster, addons::kCoreDnsReplicas),
              node_input::kCoreDnsDeploymentTarget, patch::Schema::kDeployment, sources.patches);
  gathered.components.push_back(std::move(dns));
}

// Adds a modified Corefile. Upgrades keep a modified Corefile, and replace the default of a
// release.
void AddCorefile(const Sources& sources, Gathered& gathered) {
  const std::optional<std::string> corefile = addons::FindCorefile(sources.client);
  const std::string& domain = gathered.config.cluster.networking.dns_domain;
  if (!corefile || addons::IsOldDefault(*corefile, domain)) {
    return;
  }
  gathered.components.push_back(
      {.name = "coredns",
       .node = "",
       .place = "ConfigMap kube-system/coredns",
       .kind = Kind::kCorefile,
       .should = json::Value{{"Corefile", addons::DefaultCorefile(domain)}},
       .runs = json::Value{{"Corefile", *corefile}},
       .at_upgrade = AtUpgrade::kLeft});
}

// Returns whether an addon has neither its workload nor its ConfigMap. In this case the cluster was
// created without the addon, or another program has replaced it.
bool IsAway(const std::string& name, const kube::Resource& workload, const Sources& sources) {
  return !sources.client.Find({workload, kNamespace, name}) &&
         !sources.client.Find({kube::resources::kConfigMap, kNamespace, name});
}

// Adds the objects of an addon, or a note if the addon is absent.
void AddWhole(const std::string& name, const kube::Resource& workload,
              const std::vector<json::Value>& objects, const Sources& sources, Gathered& gathered) {
  if (IsAway(name, workload, sources)) {
    gathered.notes.push_back(fmt::format(
        "{} is not in the cluster, and the configuration does not say so: the next upgrade brings "
        "it, unless its phase is skipped",
        name));
  } else {
    AddObjects(name, objects, sources, gathered);
  }
}

// Returns the rules that let nodes join, and read the configuration.
std::vector<json::Value> BootstrapObjects(const config::Init& config,
                                          join_secrets::JoinTokens tokens) {
  std::vector<json::Value> objects;
  const auto add = [&](const std::vector<objects::RbacRow>& rows) {
    std::ranges::transform(rows, std::back_inserter(objects), objects::ObjectOf);
  };
  add(join_secrets::BootstrapRows(releases::For(config.cluster.kubernetes_version), tokens));
  add(stored_config::ReaderRows());
  return objects;
}

}  // namespace

void AddAddons(const Sources& sources, const config::StoredConfig& stored, Gathered& gathered) {
  const auto look = [&](const char* what, const auto& add) {
    try {
      add();
    } catch (const Error& error) {
      gathered.unseen.push_back(what + (": " + error.message()));
    }
  };
  look("the rules by which nodes join", [&] {
    const auto tokens = join_secrets::FetchJoinTokens(sources.client);
    AddObjects("bootstrap", BootstrapObjects(gathered.config, tokens), sources, gathered);
  });
  if (!gathered.config.cluster.proxy.disabled) {
    look("kube-proxy's DaemonSet", [&] { AddDaemonSet(sources, gathered); });
    look("kube-proxy's ConfigMap", [&] { AddProxyConfig(sources, stored, gathered); });
    look("kube-proxy's rules", [&] {
      AddWhole("kube-proxy", kube::resources::kDaemonSet,
               addons::KubeProxyManifests(gathered.config, nullptr).objects, sources, gathered);
    });
  }
  if (!gathered.config.cluster.dns.disabled) {
    look("CoreDNS' Deployment", [&] { AddCoreDns(sources, gathered); });
    look("CoreDNS' Corefile", [&] { AddCorefile(sources, gathered); });
    look("CoreDNS' Service and rules", [&] {
      AddWhole("coredns", kube::resources::kDeployment,
               addons::CoreDnsManifests(gathered.config.cluster, nullptr).objects, sources,
               gathered);
    });
  }
}

}  // namespace config_change
