// SPDX-License-Identifier: Apache-2.0
#include "config_change/gather.h"

#include <fmt/core.h>

#include <algorithm>
#include <optional>
#include <set>

#include "base/error.h"
#include "base/rows.h"
#include "base/version.h"
#include "components/strays.h"
#include "config_change/parts.h"
#include "control_plane/running.h"
#include "control_plane/wanted_pods.h"
#include "static_pods/accounts.h"
#include "static_pods/create.h"
#include "static_pods/restart.h"
#include "static_pods/rootless.h"

namespace config_change {
namespace {

using base::Error;

// Returns the common version of this node's static Pods; std::nullopt if the versions differ, or if
// the node has no static Pods.
std::optional<std::string> VersionHere(const host::Files& files) {
  std::set<std::string> tags;
  for (const components::Component component : components::kControlPlane) {
    const auto pod = static_pods::ReadManifest(files, component);
    tags.insert(pod ? control_plane::ImageTag(static_pods::FirstImage(*pod).value_or("")) : "");
  }
  return CommonVersion(tags);
}

stored_config::FetchedConfig Fetch(const Sources& sources, const std::string& version) {
  return stored_config::FetchConfig(sources.client, sources.host.files,
                                    {.facts = sources.facts,
                                     .role = stored_config::RoleOf(sources.host.files),
                                     .cri_socket = config::CriSocketChoice::kAssume,
                                     .kubernetes_version = version});
}

void AddRunning(const Sources& sources, Gathered& gathered) {
  try {
    const std::unique_ptr<cri::Runtime> runtime =
        sources.connect_runtime(gathered.config.init.node_registration.cri_socket);
    const auto lines = static_pods::FindCommandLines(components::kComponents, *runtime);
    for (Component& component : gathered.components) {
      const components::Component row =
          base::RowOf(components::kComponents, component.name, &components::Name);
      if (const auto words = lines.find(row); words != lines.end()) {
        component.runs = PodOfCommand(words->second);
      }
      component.seen = Seen::kArguments;
    }
  } catch (const Error& error) {
    gathered.unseen.push_back("the arguments with which the static Pods run: " + error.message());
  }
}

std::vector<Component> RenderedWith(const Sources& sources, const config::Init& config,
                                    control_plane::EtcdPod etcd) {
  std::vector<Component> components;
  for (static_pods::Replacement& wanted :
       control_plane::FindWantedPods(sources.host, config, etcd).pods) {
    components.push_back({.name = std::string(components::Name(wanted.component)),
                          .node = config.init.node_registration.name,
                          .place = components::ManifestPath(wanted.component).string(),
                          .kind = Kind::kStaticPod,
                          .should = Finished(wanted.component, std::move(wanted.pod), sources,
                                             config, sources.patches)});
  }
  return components;
}

// The wanted etcd Pod is derived from etcd's manifest. If the manifest is missing, only its absence
// is reported.
void AddRendered(const Sources& sources, Gathered& gathered) {
  const bool etcd_missing =
      gathered.config.cluster.etcd.local &&
      !sources.host.files.Exists(components::ManifestPath(components::Component::kEtcd));
  gathered.components = RenderedWith(
      sources, gathered.config,
      etcd_missing ? control_plane::EtcdPod::kLeave : control_plane::EtcdPod::kSameVersion);
  if (etcd_missing) {
    gathered.components.push_back(
        {.name = std::string(components::Name(components::Component::kEtcd)),
         .node = gathered.config.init.node_registration.name,
         .place = components::ManifestPath(components::Component::kEtcd).string(),
         .kind = Kind::kStaticPod});
  }
}

}  // namespace

void AddStaticPods(const Sources& sources, Gathered& gathered) {
  AddRendered(sources, gathered);
  const std::vector<components::Stray> strays = components::FindStrays(sources.host.files);
  for (Component& component : gathered.components) {
    const components::Component row =
        base::RowOf(components::kComponents, component.name, &components::Name);
    const auto pod = static_pods::ReadManifest(sources.host.files, row);
    if (pod) {
      component.disk =
          base::WithContext(component.place, [&] { return static_pods::Normalized(*pod); });
    } else {
      component.missing = true;
    }
    for (const components::Stray& stray : strays) {
      if (stray.component == row) {
        component.strays.push_back(stray.path.string());
      }
    }
  }
  if (sources.running) {
    AddRunning(sources, gathered);
  }
}

std::optional<std::string> CommonVersion(const std::set<std::string>& tags) {
  const auto version = tags.size() == 1 ? base::Version::Parse(*tags.begin()) : std::nullopt;
  return version ? std::optional(version->TextWithV()) : std::nullopt;
}

json::Value Finished(components::Component component, json::Value pod, const Sources& sources,
                     const config::Init& config, const node_input::PatchSet* patches) {
  std::optional<static_pods::RootlessIds> ids;
  if (static_pods::IsRootless(config.cluster)) {
    ids = static_pods::PlannedRootlessIds(sources.host.files);
  }
  return static_pods::Normalized(
      static_pods::FinishPod(component, std::move(pod),
                             {.patches = patches, .rootless = ids ? &*ids : nullptr})
          .value);
}

json::Value PodOf(components::Component component, const Sources& sources,
                  const config::Init& config) {
  return Finished(component,
                  static_pods::StaticPod(component, config,
                                         static_pods::CollectFacts(sources.host, config.cluster)),
                  sources, config, sources.patches);
}

std::vector<Component> Rendered(const Sources& sources, const config::Init& config) {
  return RenderedWith(sources, config, control_plane::EtcdPod::kSameVersion);
}

Gathered CollectNode(const Sources& sources) {
  stored_config::FetchedConfig fetched = Fetch(sources, "");
  const std::string stored_version = fetched.version;
  Gathered gathered;
  const bool control_plane =
      stored_config::RoleOf(sources.host.files) == stored_config::Role::kControlPlane;
  const std::optional<std::string> version =
      control_plane ? VersionHere(sources.host.files) : std::nullopt;
  if (version && *version != fetched.version) {
    gathered.notes.push_back(
        fmt::format("this node is at {}, the cluster's configuration names {}: it is compared with "
                    "its own version; 'kubeadm upgrade node' brings it to the cluster's",
                    *version, fetched.version));
    fetched = Fetch(sources, *version);
  }
  gathered.version = stored_version;
  gathered.config = fetched.config;
  if (control_plane) {
    AddStaticPods(sources, gathered);
  }
  AddKubelet(sources, fetched, gathered);
  if (control_plane) {
    if (sources.running) {
      AddThisNode(sources, gathered);
    }
    AddAddons(sources, fetched.stored, gathered);
  }
  return gathered;
}

}  // namespace config_change
