// SPDX-License-Identifier: Apache-2.0
// kube-proxy and CoreDNS: their objects in the cluster.
#include <algorithm>
#include <array>

#include "addons/coredns.h"
#include "addons/corefile.h"
#include "addons/kube_proxy.h"
#include "base/error.h"
#include "config/component_configs.h"
#include "config_change/parts.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using base::Error;

constexpr const char* kNamespace = "kube-system";

json::Value Patched(json::Value object, std::string_view target, patch::Schema schema,
                    const patches::PatchSet* patches) {
  return patches == nullptr
             ? object
             : patches::ApplyPatches(*patches, target, std::move(object), schema).value;
}

// In the cluster the image may be of another version for as long as not all nodes are upgraded.
void AddDaemonSet(const Sources& sources, Gathered& gathered) {
  Component proxy{.name = "kube-proxy",
                  .node = "",
                  .place = "DaemonSet kube-system/kube-proxy",
                  .kind = Kind::kDaemonSet};
  proxy.runs = sources.client.Find(kube::resources::kDaemonSet, kNamespace, "kube-proxy");
  proxy.should =
      Patched(addons::KubeProxyDaemonSet(gathered.config.cluster, {}),
              patches::kKubeProxyDaemonSetTarget, patch::Schema::kDaemonSet, sources.patches);
  if (proxy.runs) {
    gathered.components.push_back(std::move(proxy));
  }
}

// Kinds that an upgrade writes whole, whatever they hold.
constexpr std::array<const kube::Resource*, 6> kWrittenWhole{
    &kube::resources::kService,     &kube::resources::kServiceAccount,
    &kube::resources::kRole,        &kube::resources::kRoleBinding,
    &kube::resources::kClusterRole, &kube::resources::kClusterRoleBinding};

// What is not there is made by the next upgrade: nobody loses anything.
void AddObjects(const std::string& name, const std::vector<json::Value>& objects,
                const Sources& sources, Gathered& gathered) {
  for (const json::Value& object : objects) {
    const auto resource =
        std::ranges::find(kWrittenWhole, json::TextAt(object, {"kind"}),
                          [](const kube::Resource* each) { return std::string(each->kind); });
    if (resource == kWrittenWhole.end()) {
      continue;
    }
    const std::string object_name = json::TextAt(object, {"metadata", "name"});
    auto runs =
        sources.client.Find(**resource, (*resource)->namespaced ? kNamespace : "", object_name);
    if (!runs) {
      continue;
    }
    (*runs)["kind"] = (*resource)->kind;
    gathered.components.push_back({.name = name,
                                   .node = "",
                                   .place = json::TextAt(object, {"kind"}) + " " + object_name,
                                   .kind = Kind::kObject,
                                   .should = object,
                                   .runs = std::move(runs)});
  }
}

// What else lies in the ConfigMap: an upgrade writes it with its own two keys alone.
Component RestOfProxyMap(json::Value should, json::Value runs) {
  for (json::Value* map : {&should, &runs}) {
    (*map)["kind"] = kube::resources::kConfigMap.kind;
    for (const char* own : {"config.conf", "kubeconfig.conf"}) {
      (*map)["data"].erase(own);
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

// The ConfigMap is where the configuration is stored: upgrades take it from there, unless its hash
// says that kubeadm has made it. How kube-proxy reaches the API server they write again.
void AddProxyConfig(const Sources& sources, const config::StoredConfig& stored,
                    Gathered& gathered) {
  const auto map = sources.client.Find(kube::resources::kConfigMap, kNamespace, "kube-proxy");
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
  dns.runs = sources.client.Find(kube::resources::kDeployment, kNamespace, "coredns");
  if (!dns.runs) {
    return;
  }
  dns.should =
      Patched(addons::CoreDnsDeployment(gathered.config.cluster, addons::kCoreDnsReplicas),
              patches::kCoreDnsDeploymentTarget, patch::Schema::kDeployment, sources.patches);
  gathered.components.push_back(std::move(dns));
}

// Upgrades leave a Corefile that somebody has changed, and replace the default of a release.
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

}  // namespace

void AddAddons(const Sources& sources, const config::StoredConfig& stored, Gathered& gathered) {
  const auto look = [&](const char* what, const auto& add) {
    try {
      add();
    } catch (const Error& error) {
      gathered.unseen.push_back(what + (": " + error.message()));
    }
  };
  if (!gathered.config.cluster.proxy.disabled) {
    look("kube-proxy's DaemonSet", [&] { AddDaemonSet(sources, gathered); });
    look("kube-proxy's ConfigMap", [&] { AddProxyConfig(sources, stored, gathered); });
    look("kube-proxy's rules", [&] {
      AddObjects("kube-proxy", addons::KubeProxyManifests(gathered.config, nullptr).objects,
                 sources, gathered);
    });
  }
  if (!gathered.config.cluster.dns.disabled) {
    look("CoreDNS' Deployment", [&] { AddCoreDns(sources, gathered); });
    look("CoreDNS' Corefile", [&] { AddCorefile(sources, gathered); });
    look("CoreDNS' Service and rules", [&] {
      AddObjects("coredns", addons::CoreDnsManifests(gathered.config.cluster, nullptr).objects,
                 sources, gathered);
    });
  }
}

}  // namespace config_change
