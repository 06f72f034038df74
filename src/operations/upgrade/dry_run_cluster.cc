// SPDX-License-Identifier: Apache-2.0
#include "upgrade/dry_run_cluster.h"

#include <fmt/core.h>

#include <utility>

#include "base/error.h"
#include "base/show_line.h"
#include "config/version.h"
#include "discovery/canned.h"
#include "kube/dry_run.h"
#include "kubeconfigs/connect.h"
#include "objects/mirror_pod.h"
#include "static_pods/static_pod.h"

namespace upgrade {
namespace {

// Returns an object of the simulated cluster. It is the cluster of a join's dry run, and also has
// the Pod of this node's API server.
std::optional<json::Value> CannedObject(const kube::Call& call) {
  const std::string prefix = components::PodName(components::Component::kApiServer, "");
  const bool is_api_server = call.verb == kube::Verb::kGet &&
                             call.resource.resource == kube::resources::kPod.resource &&
                             call.name.starts_with(prefix);
  if (!is_api_server) {
    return discovery::CannedObject(call);
  }
  const std::string node = call.name.substr(prefix.size());
  return json::Value{
      {"apiVersion", "v1"},
      {"kind", "Pod"},
      {"metadata",
       {{"name", call.name},
        {"namespace", call.name_space},
        {"annotations",
         {{objects::kMirrorAnnotation, "simulated"},
          {static_pods::kApiServerEndpointAnnotation, "0.0.0.0:6443"}}},
        {"ownerReferences",
         json::Value::array({{{"kind", kube::resources::kNode.kind}, {"name", node}}})}}},
      {"spec", {{"nodeName", node}}}};
}

class SimulatedCluster : public kube::DryRunTransport {
 public:
  explicit SimulatedCluster(kube::DryRunOptions options) : DryRunTransport(std::move(options)) {}
  std::string GetPath(const std::string& path, std::stop_token stop) override {
    return path == "/version" ? fmt::format(R"({{"gitVersion": "{}"}})", config::kKubeadmVersion)
                              : DryRunTransport::GetPath(path, std::move(stop));
  }
};

}  // namespace

std::shared_ptr<kube::Transport> ConnectDryRun(const host::Host& host,
                                               const host::fs::path& kubeconfig,
                                               const base::ShowLine& log) {
  if (!host.files.Exists(kubeconfig)) {
    return std::make_shared<SimulatedCluster>(
        kube::DryRunOptions{.log = log, .real = nullptr, .canned = CannedObject});
  }
  std::shared_ptr<kube::Transport> real = kubeconfigs::ConnectBy(host, kubeconfig);
  // Checks the connection now, because a later failure would look like a missing object.
  base::WithContext(kubeconfig.string(),
                    [&] { return real->GetPath("/version", host.signals.Interrupt()); });
  return std::make_shared<kube::DryRunTransport>(
      kube::DryRunOptions{.log = log, .real = std::move(real), .canned = nullptr});
}

}  // namespace upgrade
