// SPDX-License-Identifier: Apache-2.0
// Steps that wait: for the kubelet, and for the components of the control plane.
#include "kubelet/wait.h"

#include <fmt/core.h>

#include <algorithm>

#include "base/duration.h"
#include "base/error.h"
#include "checks/finding.h"
#include "config/addresses.h"
#include "config/paths.h"
#include "host/init_system.h"
#include "kubeconfigs/load.h"
#include "kubelet/flags.h"
#include "kubelet/node_config.h"
#include "kubelet/service.h"
#include "static_pods/controllers_probe.h"
#include "static_pods/endpoints.h"
#include "static_pods/wait.h"
#include "steps/node/steps.h"

namespace node_steps {
namespace {

using std::chrono::milliseconds;

// A short interval: a kubelet is healthy within a second, and a request to it is cheap.
constexpr milliseconds kKubeletPause{25};

milliseconds Rounded(std::chrono::nanoseconds duration) {
  return std::chrono::round<milliseconds>(duration);
}

// A long timeout: on a loaded machine, an API server that has just started needs seconds for one
// answer.
constexpr milliseconds kRequestTimeout{10'000};

// Returns a transport to this node's API server that fails as soon as the server is down.
std::shared_ptr<kube::Transport> LocalTransport(const NodeData& data) {
  const fs::path admin_conf = fs::path(config::kKubernetesDir) / config::kAdminConf;
  const kube::Kubeconfig config =
      kubeconfigs::WithServer(kubeconfigs::LoadKubeconfig(data.host.files, admin_conf),
                              config::LocalEndpointUrl(data.config.init.local_api_endpoint));
  return kube::MakeHttpTransport(config, {.request_timeout = kRequestTimeout});
}

// Collects the facts of the node, over the given connection to the container runtime.
components::ControlPlaneFacts NodeFacts(const NodeData& data, cri::Runtime& runtime) {
  const std::unique_ptr<host::InitSystem> init_system = host::DetectInitSystem(data.host);
  const std::optional<config::LocalEtcd>& etcd = data.config.cluster.etcd.local;
  return components::CollectFacts(
      {.host = data.host,
       .runtime = &runtime,
       .init_system = init_system.get(),
       .since = data.start,
       .etcd_data = etcd ? etcd->data_dir : std::string(config::kDefaultEtcdDataDir)});
}

void SayLikely(const checks::Finding& finding, workflow::Context& context) {
  context.Print(fmt::format("[control-plane-check] Going on to wait, though {}: {}", finding.what,
                            finding.evidence));
}

milliseconds HealthLimit(const NodeData& data) {
  return std::chrono::duration_cast<milliseconds>(
      data.Timeout(&config::Timeouts::control_plane_component_health_check));
}

void WaitForOk(const std::optional<std::string>& url, NodeData& data, workflow::Context& context) {
  if (!url) {
    return;
  }
  const base::Duration limit = data.Timeout(&config::Timeouts::kubelet_health_check);
  context.Print(fmt::format("[kubelet-check] Waiting up to {1} for a healthy kubelet at {0}", *url,
                            base::FormatDuration(limit)));
  context.Progress("waiting for the kubelet");
  const auto took = base::WithContext("the kubelet is not healthy", [&] {
    return kube::WaitUntil(kube::UrlProbe(*url),
                           {.clock = data.host.clock,
                            .most = kKubeletPause,
                            .limit = std::chrono::duration_cast<milliseconds>(limit),
                            .stop = context.Stop(),
                            .culprit = kubelet::KubeletCulprit(data.host, data.start)});
  });
  context.Progress({});
  context.Print(fmt::format("[kubelet-check] The kubelet is healthy after {}",
                            base::FormatDuration(Rounded(took))));
}

}  // namespace

void ShowWhatTheKubeletRuns(std::span<const components::Component> components, NodeData& data,
                            workflow::Context& context) {
  data.world.Do(
      {.in_dry_run = steps::Would(
           context,
           {fmt::format("[dryrun] Certificates, kubeconfig files and control plane manifests are "
                        "in the directory {}",
                        ManifestDirectory(data)),
            "[dryrun] Certificates and kubeconfig files are not printed: they are secret",
            fmt::format("[dryrun] Look into {} for what would be written",
                        ManifestDirectory(data))})});
  std::vector<fs::path> files;
  for (const components::Component component : components) {
    files.push_back(components::ManifestPath(component));
  }
  files.emplace_back(kubelet::kConfigFile);
  files.emplace_back(kubelet::kFlagsFile);
  data.world.Show(files, context);
}

void WaitForHealthyKubelet(NodeData& data, const json::Value& kubelet_config,
                           workflow::Context& context) {
  const std::optional<std::string> url = kubelet::HealthzUrl(kubelet_config);
  data.world.Do(
      {.on_machine = [&] { WaitForOk(url, data, context); },
       .in_dry_run = steps::Would(
           context, {fmt::format("[dryrun] Would make sure that the kubelet answers 'ok' at {}",
                                 url.value_or(""))})});
}

void SayWaitForControlPlane(NodeData& data, workflow::Context& context) {
  context.Print(fmt::format(
      "[control-plane-check] Waiting up to {} for a healthy control plane",
      base::FormatDuration(data.Timeout(&config::Timeouts::control_plane_component_health_check))));
}

void WaitForAnswer(NodeData& data, workflow::Context& context) {
  const std::unique_ptr<cri::Runtime> runtime = data.Runtime();
  const static_pods::WaitOutcome outcome = static_pods::WaitForComponents(
      {{.name = std::string(components::Name(components::Component::kApiServer)),
        .url = config::LocalEndpointUrl(data.config.init.local_api_endpoint),
        .probe = kube::AnswerProbe(LocalTransport(data))}},
      {.clock = data.host.clock,
       .limit = HealthLimit(data),
       .stop = context.Stop(),
       .on_likely = [&](const checks::Finding& finding) { SayLikely(finding, context); },
       .facts = [&] { return NodeFacts(data, *runtime); }});
  static_pods::RequireHealthy(outcome);
}

void WaitForComponents(std::span<const components::Component> wanted, Controllers controllers,
                       NodeData& data, workflow::Context& context) {
  std::vector<static_pods::ComponentEndpoint> endpoints =
      static_pods::ComponentEndpoints(data.host.files, data.config.init.local_api_endpoint);
  std::erase_if(endpoints, [&](const static_pods::ComponentEndpoint& endpoint) {
    return std::ranges::find(wanted, endpoint.component) == wanted.end();
  });
  std::vector<static_pods::ComponentProbe> probes =
      static_pods::ProbesFor(endpoints, LocalTransport(data));
  for (static_pods::ComponentProbe& probe : probes) {
    context.Print(fmt::format("[control-plane-check] Checking {} at {}", probe.name, probe.url));
    if (controllers == Controllers::kNeeded &&
        probe.name == components::Name(components::Component::kControllerManager)) {
      probe.probe = static_pods::ControllersProbe(probe.url, data.host.clock);
    }
  }
  const std::unique_ptr<cri::Runtime> runtime = data.Runtime();
  static_pods::WaitRequest request{
      .clock = data.host.clock,
      .limit = HealthLimit(data),
      .stop = context.Stop(),
      .on_end =
          [&](const static_pods::ComponentHealth& component) {
            const char* state = component.healthy() ? "healthy" : "not healthy";
            context.Print(fmt::format("[control-plane-check] {} is {} after {}", component.name,
                                      state, base::FormatDuration(Rounded(component.took))));
          },
      .on_likely = [&](const checks::Finding& finding) { SayLikely(finding, context); },
      .facts = [&] { return NodeFacts(data, *runtime); }};
  static_pods::RequireHealthy(static_pods::WaitForComponents(probes, request));
  // Waits a second time, because the first healthy component may have ended while the others
  // started.
  request.on_end = {};
  static_pods::RequireHealthy(static_pods::WaitForComponents(probes, request));
}

}  // namespace node_steps
