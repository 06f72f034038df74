// SPDX-License-Identifier: Apache-2.0
#include "config_change/gather.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "accounts/accounts.h"
#include "addons/coredns.h"
#include "addons/kube_proxy.h"
#include "base/error.h"
#include "base/strings.h"
#include "base/version.h"
#include "config/feature_gates.h"
#include "config/images.h"
#include "config_change/parts.h"
#include "kubelet/node_config.h"
#include "static_pods/create.h"
#include "static_pods/restart.h"
#include "static_pods/rootless.h"
#include "upgrade/running.h"
#include "upgrade/wanted_pods.h"
#include "yaml/yaml.h"

namespace config_change {
namespace {

using base::Error;

// The version that all of this node's static Pods have; nothing when they do not agree, or there
// are none.
std::optional<std::string> VersionHere(const host::Files& files) {
  std::set<std::string> tags;
  for (const components::Component component : components::kControlPlane) {
    const auto pod = static_pods::ReadManifest(files, component);
    tags.insert(pod ? upgrade::ImageTag(static_pods::FirstImage(*pod).value_or("")) : "");
  }
  return CommonVersion(tags);
}

upgrade::FetchedConfig Fetch(const Sources& sources, const std::string& version) {
  return upgrade::FetchConfig(sources.client, sources.host.files,
                              {.facts = sources.facts,
                               .role = upgrade::RoleOf(sources.host.files),
                               .cri_socket = config::CriSocketChoice::kAssume,
                               .kubernetes_version = version});
}

// What the runtime has started the component with.
std::optional<json::Value> RunningPod(components::Component component, cri::Runtime& runtime) {
  for (const std::string& id : static_pods::FindRunning(component, runtime).containers) {
    const json::Value info = json::TryParse(runtime.ContainerInfo(id).value_or(""));
    const json::Value& words = json::At(info, {"runtimeSpec", "process", "args"});
    if (words.is_array()) {
      return json::Value{{"spec", {{"containers", json::Value::array({{{"command", words}}})}}}};
    }
  }
  return std::nullopt;
}

void AddRunning(const Sources& sources, Gathered& gathered) {
  try {
    const std::unique_ptr<cri::Runtime> runtime =
        sources.connect_runtime(gathered.config.init.node_registration.cri_socket);
    for (Component& component : gathered.components) {
      const auto row =
          std::ranges::find(components::kComponents, component.name, &components::Name);
      component.runs = RunningPod(*row, *runtime);
      component.seen = Seen::kArguments;
    }
  } catch (const Error& error) {
    gathered.unseen.push_back("what the static Pods run with: " + error.message());
  }
}

void AddStaticPods(const Sources& sources, Gathered& gathered) {
  gathered.components = Rendered(sources, gathered.config);
  for (Component& component : gathered.components) {
    const auto row = std::ranges::find(components::kComponents, component.name, &components::Name);
    const auto pod = static_pods::ReadManifest(sources.host.files, *row);
    if (pod) {
      component.disk =
          base::WithContext(component.place, [&] { return static_pods::Normalized(*pod); });
    } else {
      gathered.notes.push_back(component.place + " is not there: 'kubeadm doctor' says more");
    }
  }
  if (sources.running) {
    AddRunning(sources, gathered);
  }
}

// The kubelet is told what the cluster's ConfigMap says, word by word, and what the node adds.
Component KubeletHere(const Sources& sources, const upgrade::FetchedConfig& fetched) {
  const std::string& node = fetched.config.init.node_registration.name;
  Component kubelet{.name = "kubelet",
                    .node = node,
                    .place = std::string(kubelet::kConfigFile),
                    .kind = Kind::kSettings};
  const auto use = config::SocketIsLocal(fetched.config.cluster) ? kubelet::UseInstanceConfig::kYes
                                                                 : kubelet::UseInstanceConfig::kNo;
  kubelet.should =
      kubelet::MakeNodeConfig(sources.host, yaml::Parse(fetched.stored.kubelet->text).value,
                              sources.patches, use)
          .value;
  if (const auto text = sources.host.files.Find(kubelet::kConfigFile)) {
    kubelet.disk = base::WithContext(kubelet.place, [&] { return yaml::Parse(*text).value; });
  }
  return kubelet;
}

json::Value Patched(json::Value object, std::string_view target, patch::Schema schema,
                    const patches::PatchSet* patches) {
  return patches == nullptr
             ? object
             : patches::ApplyPatches(*patches, target, std::move(object), schema).value;
}

// In the cluster the image may be of another version for as long as not all nodes are upgraded.
void AddKubeProxy(const Sources& sources, Gathered& gathered) {
  Component proxy{.name = "kube-proxy",
                  .node = "",
                  .place = "DaemonSet kube-system/kube-proxy",
                  .kind = Kind::kDaemonSet};
  proxy.runs = sources.client.Find(kube::resources::kDaemonSet, "kube-system", "kube-proxy");
  proxy.should =
      Patched(addons::KubeProxyDaemonSet(gathered.config.cluster, {}),
              patches::kKubeProxyDaemonSetTarget, patch::Schema::kDaemonSet, sources.patches);
  if (proxy.runs) {
    gathered.components.push_back(std::move(proxy));
  }
}

void AddCoreDns(const Sources& sources, Gathered& gathered) {
  Component dns{.name = "coredns",
                .node = "",
                .place = "Deployment kube-system/coredns",
                .kind = Kind::kDeployment};
  dns.runs = sources.client.Find(kube::resources::kDeployment, "kube-system", "coredns");
  if (!dns.runs) {
    return;
  }
  const json::Value& replicas = json::At(*dns.runs, {"spec", "replicas"});
  dns.should =
      Patched(addons::CoreDnsDeployment(gathered.config.cluster,
                                        replicas.is_number() ? replicas.get<int>() : 1),
              patches::kCoreDnsDeploymentTarget, patch::Schema::kDeployment, sources.patches);
  gathered.components.push_back(std::move(dns));
}

void AddAddons(const Sources& sources, Gathered& gathered) {
  try {
    if (!gathered.config.cluster.proxy.disabled) {
      AddKubeProxy(sources, gathered);
    }
    if (!gathered.config.cluster.dns.disabled) {
      AddCoreDns(sources, gathered);
    }
  } catch (const Error& error) {
    gathered.unseen.push_back("the addons' objects: " + error.message());
  }
}

}  // namespace

std::optional<std::string> CommonVersion(const std::set<std::string>& tags) {
  const auto version = tags.size() == 1 ? base::Version::Parse(*tags.begin()) : std::nullopt;
  return version ? std::optional(version->TextWithV()) : std::nullopt;
}

void AddRunningKubelet(kube::Client& client, Component& kubelet, std::vector<std::string>& unseen) {
  try {
    const std::string text =
        client.transport().GetPath(fmt::format("/api/v1/nodes/{}/proxy/configz", kubelet.node), {});
    kubelet.runs = json::At(json::Parse(text), {"kubeletconfig"});
    kubelet.seen = Seen::kSettings;
  } catch (const Error& error) {
    unseen.push_back(
        fmt::format("what the kubelet of {} runs with: {}", kubelet.node, error.message()));
  }
}

json::Value Finished(components::Component component, json::Value pod, const Sources& sources,
                     const config::Init& config, const patches::PatchSet* patches) {
  std::optional<accounts::RootlessIds> ids;
  if (static_pods::IsRootless(config.cluster)) {
    ids = accounts::PlannedRootlessIds(sources.host.files);
  }
  return static_pods::Normalized(
      static_pods::FinishPod(component, std::move(pod),
                             {.patches = patches, .rootless = ids ? &*ids : nullptr})
          .value);
}

std::vector<Component> Rendered(const Sources& sources, const config::Init& config) {
  std::vector<Component> components;
  for (static_pods::Replacement& wanted :
       upgrade::FindWantedPods(sources.host, config, upgrade::EtcdPod::kUpgrade).pods) {
    components.push_back({.name = std::string(components::Name(wanted.component)),
                          .node = config.init.node_registration.name,
                          .place = components::ManifestPath(wanted.component).string(),
                          .kind = Kind::kStaticPod,
                          .should = Finished(wanted.component, std::move(wanted.pod), sources,
                                             config, sources.patches)});
  }
  return components;
}

Gathered GatherNode(const Sources& sources) {
  upgrade::FetchedConfig fetched = Fetch(sources, "");
  const std::string stored_version = fetched.version;
  Gathered gathered;
  const bool control_plane = upgrade::RoleOf(sources.host.files) == upgrade::Role::kControlPlane;
  const std::optional<std::string> version =
      control_plane ? VersionHere(sources.host.files) : std::nullopt;
  if (version && *version != fetched.version) {
    gathered.notes.push_back(fmt::format(
        "this node is at {}, the cluster's configuration names {}: it is held against its own "
        "version; 'kubeadm upgrade node' brings it to the other",
        *version, fetched.version));
    fetched = Fetch(sources, *version);
  }
  gathered.version = stored_version;
  gathered.config = fetched.config;
  if (control_plane) {
    AddStaticPods(sources, gathered);
  }
  Component kubelet = KubeletHere(sources, fetched);
  if (sources.running) {
    AddRunningKubelet(sources.client, kubelet, gathered.unseen);
  }
  gathered.components.push_back(std::move(kubelet));
  if (control_plane && sources.running) {
    AddAddons(sources, gathered);
  }
  return gathered;
}

}  // namespace config_change
