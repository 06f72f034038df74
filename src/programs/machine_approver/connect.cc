// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/connect.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "json/value.h"
#include "kube/in_cluster.h"
#include "kube/kubeconfig.h"

namespace machine_approver {
namespace {

constexpr std::string_view kRemedy =
    "give --workload-cluster-kubeconfig and --management-cluster-kubeconfig";

kube::Kubeconfig ConfigAt(host::Host& host, const std::string& path) {
  if (path.empty()) {
    return kube::PodConfig(host, kRemedy);
  }
  return base::WithContext("kubeconfig " + path, [&] {
    kube::Kubeconfig config = kube::Kubeconfig::Parse(host.files.Read(path));
    kube::LocateFiles(config, host::fs::path(path).parent_path());
    return config;
  });
}

std::unique_ptr<kube::Transport> ConnectOnce(host::Host& host, const kube::Kubeconfig& config) {
  return kube::MakeHttpTransport(
      config, {.server_override = {},
               .read_file = [&host](const std::string& file) { return host.files.Find(file); }});
}

std::shared_ptr<kube::Transport> Connect(host::Host& host, const std::string& path) {
  const auto make = [&host, path] { return ConnectOnce(host, ConfigAt(host, path)); };
  return kube::MakeFreshTransport(make, host.clock);
}

// Adds the URL of the API server in a kubeconfig, if it has one.
void AddServer(host::Host& host, const std::string& path, std::vector<std::string>& servers) {
  const kube::Kubeconfig config = ConfigAt(host, path);
  if (const kube::KubeconfigCluster* cluster = config.CurrentCluster()) {
    servers.push_back(cluster->server);
  }
}

}  // namespace

controller::Clusters ConnectAll(host::Host& host, const cli::Parsed& flags) {
  const std::string& management = flags.Text("management-cluster-kubeconfig");
  const std::string& workload = flags.Text("workload-cluster-kubeconfig");
  controller::Clusters clusters;
  clusters.workload = Connect(host, workload);
  clusters.management = management == workload ? clusters.workload : Connect(host, management);
  AddServer(host, workload, clusters.servers);
  AddServer(host, management, clusters.servers);
  return clusters;
}

std::unique_ptr<kube::Transport> ConnectAs(host::Host& host, const cli::Parsed& flags,
                                           const json::Value& as) {
  kube::Kubeconfig config = ConfigAt(host, flags.Text("workload-cluster-kubeconfig"));
  const kube::KubeconfigContext* context = config.CurrentContext();
  if (context == nullptr || config.CurrentUser() == nullptr) {
    throw base::Error(base::Error::Kind::kInvalid, "the kubeconfig " + config.NoUserReason());
  }
  config.users.at(context->user).rest.update(as);
  return ConnectOnce(host, config);
}

}  // namespace machine_approver
