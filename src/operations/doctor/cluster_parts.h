// SPDX-License-Identifier: Apache-2.0
// What the API says about the cluster. For the inside of this room.
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
  // URLs that objects of the cluster name. They are shown no credentials.
  std::vector<std::string> api_servers;
  std::string control_plane_endpoint;  // one of them, if there is any
  std::vector<std::string> unseen;
};

// AskCluster asks as the user of the kubeconfig; what it may not see is unseen.
ClusterAnswer AskCluster(const Sources& sources, const kube::Kubeconfig& kubeconfig,
                         const std::stop_token& stop);

// NodeFactOf, PodFactOf and TokenFactOf read objects of the API. A Pod that is well gives nothing.
NodeFact NodeFactOf(const json::Value& node);
std::optional<PodFact> PodFactOf(const json::Value& pod);

}  // namespace doctor
