// SPDX-License-Identifier: Apache-2.0
// Facts about the cluster from the API. Internal to this library.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "doctor/gather.h"
#include "kube/kubeconfig.h"

namespace doctor {

struct ClusterAnswer {
  ClusterFacts facts;
  std::map<std::string, json::Value> rendered;  // static Pods of the configuration, by component
  // URLs in objects of the cluster. They receive no credentials.
  std::vector<std::string> api_servers;
  std::string control_plane_endpoint;  // one of them, if there is any
  std::vector<std::string> unseen;
};

// Queries as the user of the kubeconfig; objects without permission are unseen.
ClusterAnswer AskCluster(const Sources& sources, const kube::Kubeconfig& kubeconfig,
                         const std::stop_token& stop);

// NodeFactOf, PodFactOf and TokenFactOf read objects of the API. A healthy Pod has no fact.
NodeFact NodeFactOf(const json::Value& node);
std::optional<PodFact> PodFactOf(const json::Value& pod);

}  // namespace doctor
