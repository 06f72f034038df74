// SPDX-License-Identifier: Apache-2.0
#include "objects/etcd_endpoints.h"

#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/strings.h"
#include "objects/mirror_pod.h"
#include "static_pods/static_pod.h"

namespace objects {
namespace {

using Kind = base::Error::Kind;

}  // namespace

std::vector<std::string> EtcdEndpointsIn(const std::vector<json::Value>& pods) {
  std::vector<std::string> endpoints;
  std::vector<std::string> without;
  for (const json::Value& pod : pods) {
    const std::string urls =
        json::TextAt(pod, {"metadata", "annotations", static_pods::kEtcdClientUrlsAnnotation});
    if (urls.empty()) {
      without.push_back(json::TextAt(pod, {"metadata", "name"}));
      continue;
    }
    for (const auto& url : base::Split(urls, ',')) {
      if (std::ranges::find(endpoints, url) == endpoints.end()) {
        endpoints.emplace_back(url);
      }
    }
  }
  if (!without.empty()) {
    throw base::Error(
        Kind::kNotFound,
        fmt::format("annotation {} is missing on Pods of kube-system: {}",
                    static_pods::kEtcdClientUrlsAnnotation, fmt::join(without, ", ")));
  }
  return endpoints;
}

std::vector<std::string> EtcdEndpoints(kube::Client& client) {
  std::vector<std::string> endpoints;
  client.Retry("the endpoints of etcd could not be found", [&] {
    std::vector<json::Value> pods;
    for (objects::ControlPlanePod& each : objects::CollectControlPlanePods(
             client, components::Component::kEtcd, objects::CollectControlPlaneNodes(client))) {
      pods.push_back(std::move(each.pod));
    }
    try {
      endpoints = EtcdEndpointsIn(pods);
    } catch (const base::Error& error) {
      throw base::Error(Kind::kUnavailable, error.message());
    }
  });
  return endpoints;
}

}  // namespace objects
