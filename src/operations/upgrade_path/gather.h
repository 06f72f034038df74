// SPDX-License-Identifier: Apache-2.0
// What a plan of a way is made of, asked of the cluster and of this node.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "config/load.h"
#include "host/host.h"
#include "kube/client.h"
#include "upgrade_path/path.h"

namespace upgrade_path {

// GatherRequest is what is known already.
struct GatherRequest {
  host::Host& host;
  kube::Client& client;
  const config::Init& config;          // of the cluster, complete
  const config::StoredConfig& stored;  // as it was found
  base::Version wanted;
  // The versions of the kubelets that the user has given; nothing when none were given.
  std::optional<std::vector<base::Version>> own_kubelets = {};
  bool kubelet_command = false;
  bool upgrades_etcd = true;  // --etcd-upgrade
};

// GatherPathFacts throws base::Error when the cluster does not tell what runs. What only findings
// follow from may be missing: that is a finding then (PathFacts::unseen).
PathFacts GatherPathFacts(const GatherRequest& request);

// CollectSettings fills in the arguments and feature gates that a release may refuse: those of the
// cluster's configuration and of this node's files. Does not ask the cluster.
void CollectSettings(const config::ClusterConfiguration& cluster, const host::Files& files,
                     PathFacts& facts);

// RequestedApis reads the rows of metric apiserver_requested_deprecated_apis that name the release
// which drops the API, out of the text of /metrics.
std::vector<RequestedApi> RequestedApis(std::string_view metrics);

// GatesOf reads "A=true,B=false", the value of an argument feature-gates.
std::vector<Setting> GatesOf(const std::string& where, std::string_view value);

// ArgumentsOf are the arguments in a file that a service reads its environment from, such as
// /etc/default/kubelet: KUBELET_EXTRA_ARGS="--a=b --c d".
std::vector<Setting> ArgumentsOf(const std::string& where, std::string_view text);

}  // namespace upgrade_path
