// Steps that check the machine and get its images.
#include <fmt/core.h>

#include <set>

#include "config/paths.h"
#include "kubeadm/node_steps.h"
#include "kubeadm/preflight_report.h"
#include "kubeadm/resume.h"
#include "kubelet/node_config.h"
#include "preflight/image_pull.h"

namespace kubeadm {
namespace {

// A file that the run which is resumed has left. kubelet.conf is written by the kubelet, after a
// join has given it a bootstrap kubeconfig and started it.
std::set<std::string> SettledFiles(const NodeData& data) {
  std::set<std::string> settled;
  const auto settle = [&](const fs::path& path) {
    settled.insert("FileAvailable-" + preflight::PathName(path.string()));
  };
  const fs::path dir(config::kKubernetesDir);
  for (const auto& [path, hash] : data.journal->earlier_files()) {
    if (IsOwnLeftover(data, path)) {
      settle(path);
    }
    if (path == dir / config::kBootstrapKubeletConf) {
      settle(dir / config::kKubeletConf);
    }
  }
  return settled;
}

// Checks that complain of what the run that is resumed has made itself: files, and what the kubelet
// started from them.
std::set<std::string> SettledChecks(const NodeData& data) {
  if (data.journal == nullptr) {
    return {};
  }
  std::set<std::string> settled = SettledFiles(data);
  const auto ports = [&](const fs::path& file, std::initializer_list<int> numbers) {
    for (const int port : numbers) {
      if (IsOwnLeftover(data, file)) {
        settled.insert(fmt::format("Port-{}", port));
      }
    }
  };
  using static_pods::ManifestPath, static_pods::Component;
  ports(ManifestPath(Component::kApiServer), {data.config.init.local_api_endpoint.bind_port});
  ports(ManifestPath(Component::kControllerManager), {config::kControllerManagerPort});
  ports(ManifestPath(Component::kScheduler), {config::kSchedulerPort});
  ports(ManifestPath(Component::kEtcd), {config::kEtcdClientPort, config::kEtcdPeerPort});
  ports(fs::path(kubelet::kConfigFile), {config::kKubeletPort});
  if (data.config.cluster.etcd.local && IsOwnLeftover(data, ManifestPath(Component::kEtcd))) {
    settled.insert("DirAvailable-" + preflight::PathName(data.config.cluster.etcd.local->data_dir));
  }
  return settled;
}

}  // namespace

preflight::Sources CheckSources(NodeData& data) {
  return {.host = data.machine,
          .connect = [](const std::string& endpoint) { return cri::Connect(endpoint); }};
}

void CheckRoot(NodeData& data, workflow::Context& context) {
  RunPreflight(preflight::RootChecks(data.machine), {.ignored = data.ignored_preflight_errors},
               context);
}

void RunChecks(std::vector<preflight::Check> checks, NodeData& data, workflow::Context& context) {
  const std::set<std::string> settled = SettledChecks(data);
  std::erase_if(checks,
                [&](const preflight::Check& check) { return settled.contains(check.name); });
  RunPreflight(checks, {.ignored = data.ignored_preflight_errors}, context);
}

void PullImages(NodeData& data, workflow::Context& context) {
  if (data.options.dry_run) {
    context.Print("[preflight] Would pull the images that 'kubeadm config images list' names");
    return;
  }
  context.Print(
      "[preflight] Pulling the images that are not here yet; 'kubeadm config images pull' does it "
      "ahead of time");
  preflight::PullInput input =
      preflight::ImagePullInput(data.config.cluster, data.config.init.node_registration);
  input.on_event = [&](const preflight::PullEvent& event) {
    if (event.what == preflight::PullEvent::What::kStarted) {
      context.Progress("pulling " + event.image);
    }
  };
  RunPreflight(preflight::ImagePullCheck(CheckSources(data).connect, input),
               {.ignored = data.ignored_preflight_errors}, context);
  context.Progress("");
}

}  // namespace kubeadm
