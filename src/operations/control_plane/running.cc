// SPDX-License-Identifier: Apache-2.0
#include "control_plane/running.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>

#include "addons/coredns.h"
#include "base/error.h"
#include "base/strings.h"
#include "config/paths.h"
#include "kube/objects.h"
#include "objects/mirror_pod.h"
#include "static_pods/static_pod.h"

namespace control_plane {
namespace {

using components::Component;

std::vector<NodeVersion> Sorted(std::vector<NodeVersion> list) {
  std::ranges::sort(list, [](const NodeVersion& a, const NodeVersion& b) {
    return std::tie(a.version, a.node) < std::tie(b.version, b.node);
  });
  return list;
}

// The Pods of one component, with their versions.
struct Shown {
  std::vector<NodeVersion> mirrors;
  // Pods that are not mirror Pods, on control-plane nodes without the component's mirror Pod. Users
  // may have created them, so they are only shown and no decision depends on them.
  std::vector<NodeVersion> others;
};

bool HasNode(const std::vector<NodeVersion>& list, const std::string& node) {
  return std::ranges::contains(list, node, &NodeVersion::node);
}

Shown ShownPods(kube::Client& client, Component component, const objects::NodeNames& nodes) {
  Shown shown;
  const std::string system(kube::kSystemNamespace);
  for (const json::Value& pod :
       client.List(kube::resources::kPod, system, {.labels = components::PodLabels(component)})) {
    const std::string node = json::TextAt(pod, {"spec", "nodeName"});
    const NodeVersion found{.node = node,
                            .version = ImageTag(static_pods::FirstImage(pod).value_or(""))};
    if (objects::NodeOfControlPlanePod(pod, component, nodes)) {
      shown.mirrors.push_back(found);
    } else if (nodes.contains(node) && objects::IsPodOf(pod, component, node)) {
      shown.others.push_back(found);
    }
  }
  std::erase_if(shown.others,
                [&](const NodeVersion& other) { return HasNode(shown.mirrors, other.node); });
  return shown;
}

std::optional<base::Version> NewestApiServer(const std::vector<NodeVersion>& servers) {
  std::optional<base::Version> newest;
  for (const NodeVersion& server : servers) {
    const auto version = base::Version::Parse(server.version);
    if (!version) {
      throw base::Error(base::Error::Kind::kInvalid,
                        fmt::format("the version of kube-apiserver on node {} is not known: the "
                                    "tag of its image is {}",
                                    server.node, base::Quoted(server.version)));
    }
    newest = newest ? std::max(*newest, *version) : *version;
  }
  return newest;
}

// Returns the newest API server's version. The queried API server may be newer than the API servers
// with mirror Pods. A mirror Pod may be missing for minutes after its static Pod was replaced, or
// while another node's Pod has its name.
base::Version ClusterVersion(kube::Client& client, const std::vector<NodeVersion>& servers,
                             const objects::NodeNames& nodes) {
  const std::optional<base::Version> shown = NewestApiServer(servers);
  if (shown && servers.size() >= nodes.size()) {
    return *shown;
  }
  std::optional<base::Version> answering;
  client.Retry("the version of the API server cannot be learned",
               [&] { answering = CollectApiServerVersion(client); });
  return shown ? std::max(*shown, *answering) : *answering;
}

}  // namespace

base::Version CollectApiServerVersion(kube::Client& client) {
  const std::string body = client.GetPath("/version");
  const std::string text = json::TextAt(json::Parse(body), {"gitVersion"});
  // ParseGeneric accepts more formats, but drops the pre-release part.
  const auto exact = base::Version::Parse(text);
  const auto version = exact ? exact : base::Version::ParseGeneric(text);
  if (!version) {
    throw base::Error(
        base::Error::Kind::kInvalid,
        fmt::format("the API server says that its version is {}, which cannot be read",
                    base::Quoted(text)));
  }
  return *version;
}

std::vector<NodeVersion> CollectKubeletVersions(kube::Client& client) {
  std::vector<NodeVersion> all;
  for (const json::Value& node : client.List(kube::resources::kNode, "")) {
    all.push_back({.node = json::TextAt(node, {"metadata", "name"}),
                   .version = json::TextAt(node, {"status", "nodeInfo", "kubeletVersion"})});
  }
  std::ranges::sort(all, {}, &NodeVersion::node);
  return all;
}

std::string ImageTag(const std::string& image) {
  const std::string name = image.substr(0, image.find('@'));
  const std::size_t colon = name.rfind(':');
  if (colon == std::string::npos || name.find('/', colon) != std::string::npos) {
    return "";
  }
  return base::ReplaceAll(name.substr(colon + 1), "_", "+");
}

Running CollectRunning(kube::Client& client) {
  Running running;
  objects::NodeNames nodes;
  client.Retry("the nodes of the control plane cannot be listed",
               [&] { nodes = objects::CollectControlPlaneNodes(client); });
  const auto ask = [&](Component component) {
    Shown shown;
    client.Retry(fmt::format("the Pods of {} cannot be listed", components::Name(component)),
                 [&] { shown = ShownPods(client, component, nodes); });
    if (component == Component::kApiServer) {
      running.cluster = ClusterVersion(client, shown.mirrors, nodes);
    }
    std::ranges::move(shown.others, std::back_inserter(shown.mirrors));
    running.static_pods[std::string(components::Name(component))] =
        Sorted(std::move(shown.mirrors));
  };
  std::ranges::for_each(components::kControlPlane, ask);
  ask(Component::kEtcd);
  client.Retry("", [&] { running.kubelets = Sorted(CollectKubeletVersions(client)); });
  running.core_dns = addons::FindCoreDns(client).tag;
  return running;
}

std::optional<std::string> MixedVersions(const Running& running) {
  const std::vector<NodeVersion>& servers = running.static_pods.at(std::string(config::kApiServer));
  std::map<std::string, std::vector<std::string>> nodes;
  for (const NodeVersion& server : servers) {
    nodes[server.version].push_back(server.node);
  }
  if (nodes.size() < 2) {
    return std::nullopt;
  }
  std::vector<std::string> parts;
  for (const auto& [version, names] : nodes) {
    parts.push_back(fmt::format("{} on {}", version, base::Join(names, ", ")));
  }
  return fmt::format(
      "the API servers are of different versions: {}. Bring all control-plane nodes to the same "
      "version",
      base::Join(parts, "; "));
}

std::vector<std::string> NodesBehind(kube::Client& client, const std::string& node,
                                     const std::string& image) {
  std::vector<std::string> nodes;
  for (const auto& [other, pod] : objects::CollectControlPlanePods(
           client, Component::kApiServer, objects::CollectControlPlaneNodes(client))) {
    if (other != node && static_pods::FirstImage(pod) != image) {
      nodes.push_back(other);
    }
  }
  return nodes;
}

}  // namespace control_plane
