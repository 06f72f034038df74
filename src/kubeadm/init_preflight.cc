// Phase `preflight`: checks first, and only then anything else; images come while the rest goes on.
#include <fmt/core.h>

#include <set>

#include "base/error.h"
#include "config/paths.h"
#include "kubeadm/init_phases.h"
#include "kubeadm/preflight_report.h"
#include "kubeadm/resume.h"
#include "kubelet/node_config.h"
#include "manifests/static_pod.h"
#include "preflight/checks.h"
#include "preflight/image_pull.h"

namespace kubeadm {
namespace {

preflight::ConnectRuntime Connector() {
  return [](const std::string& endpoint) { return cri::Connect(endpoint); };
}

// Checks that complain of what the run that is resumed has made itself: its manifests, and what
// the kubelet started from them.
std::set<std::string> SettledChecks(const InitData& data) {
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

void Check(InitData& data, workflow::Context& context) {
  context.Print("[preflight] Checking this machine");
  const PreflightRun run{.ignored = data.ignored_preflight_errors};
  RunPreflight(preflight::RootChecks(data.machine), run, context);
  std::vector<preflight::Check> checks =
      preflight::InitChecks({.host = data.machine, .connect = Connector()}, data.config);
  const std::set<std::string> settled = SettledChecks(data);
  std::erase_if(checks,
                [&](const preflight::Check& check) { return settled.contains(check.name); });
  RunPreflight(checks, run, context);
}

void PullImages(InitData& data, workflow::Context& context) {
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
  RunPreflight(preflight::ImagePullCheck(Connector(), input),
               {.ignored = data.ignored_preflight_errors}, context);
  context.Progress("");
}

}  // namespace

std::vector<InitPhase> PreflightSteps() {
  return {{.name = "checks",
           .summary = "Check this machine",
           .hidden = true,
           .makes = {"checked"},
           .run = Check},
          {.name = "images",
           .summary = "Pull the images",
           .hidden = true,
           .needs = {"checked"},
           .run = PullImages}};
}

}  // namespace kubeadm
