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

// Checks that complain of what the run that is resumed has made itself: its manifests, and what
// the kubelet started from them.
std::set<std::string> SettledChecks(const NodeData& data) {
  std::set<std::string> settled;
  const auto manifest = [&](manifests::Component component, std::initializer_list<int> ports) {
    const fs::path path = manifests::ManifestPath(component);
    if (IsOwnLeftover(data, path)) {
      settled.insert("FileAvailable-" + preflight::PathName(path.string()));
      for (const int port : ports) {
        settled.insert(fmt::format("Port-{}", port));
      }
    }
  };
  manifest(manifests::Component::kApiServer, {data.config.init.local_api_endpoint.bind_port});
  manifest(manifests::Component::kControllerManager, {config::kControllerManagerPort});
  manifest(manifests::Component::kScheduler, {config::kSchedulerPort});
  manifest(manifests::Component::kEtcd, {config::kEtcdClientPort, config::kEtcdPeerPort});
  const fs::path etcd = manifests::ManifestPath(manifests::Component::kEtcd);
  if (data.config.cluster.etcd.local && IsOwnLeftover(data, etcd)) {
    settled.insert("DirAvailable-" + preflight::PathName(data.config.cluster.etcd.local->data_dir));
  }
  if (IsOwnLeftover(data, fs::path(kubelet::kConfigFile))) {
    settled.insert(fmt::format("Port-{}", config::kKubeletPort));
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
