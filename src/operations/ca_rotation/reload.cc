// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/reload.h"

#include <fmt/chrono.h>
#include <fmt/core.h>

#include "ca_rotation/api_trust.h"
#include "config/paths.h"
#include "kube/lease.h"
#include "static_pods/endpoints.h"
#include "static_pods/serving.h"
#include "static_pods/static_pod.h"

namespace ca_rotation {
namespace {

using components::Component;

std::string ApiServerUrl(const Node& node) {
  const auto pod = static_pods::ReadManifest(node.host.files, Component::kApiServer);
  return static_pods::EndpointOf(Component::kApiServer, pod.value_or(json::Value::object()),
                                 node.config.init.local_api_endpoint)
      .Url();
}

// Returns std::nullopt if the key pair for the probe is missing or removed.
std::optional<kube::Probe> ApiProbe(const Node& node, Trust wanted) {
  const AuthorityFiles place = node.place();
  const Generation generation = wanted == Trust::kWithdrawn ? Generation::kOld : Generation::kNew;
  if (!FindSaved(place, generation)) {
    return std::nullopt;
  }
  return TrustProbe({.url = ApiServerUrl(node),
                     .authority = node.authority,
                     .ca = LoadSavedCa(place, generation),
                     .now = node.Now(),
                     .wanted = wanted});
}

std::optional<kube::Probe> ProbeOf(Reload reload, const Node& node) {
  switch (reload) {
    case Reload::kNothing:
      break;
    case Reload::kEtcdShows:
      return static_pods::ServingProbes(node.host, node.config.cluster,
                                        node.config.init.local_api_endpoint)(Component::kEtcd);
    case Reload::kApiTrusts:
      return ApiProbe(node, Trust::kGiven);
    case Reload::kApiDistrusts:
      return ApiProbe(node, Trust::kWithdrawn);
  }
  return std::nullopt;
}

}  // namespace

void WaitForReload(Reload reload, const Node& node) {
  if (const auto probe = ProbeOf(reload, node)) {
    kube::WaitUntil(static_pods::UntilAnswered(*probe), node.Waiting(node.RestartPatience()));
  }
}

void WaitForControllers(const Node& node, const std::string& since) {
  node.say("Waiting for a controller manager that leads");
  kube::Client client = node.new_client();
  kube::WaitUntil(
      static_pods::UntilAnswered(kube::RenewalProbe(
          client, {.name_space = "kube-system", .name = std::string(config::kControllerManager)},
          since)),
      node.Waiting(node.RestartPatience()));
}

void RestartKubelet(const Node& node, engine::StepContext& context) {
  base::WithContext("the kubelet does not come back", [&] {
    context.RestartKubelet(
        {.node = node.name,
         .new_client = node.new_client,
         .waiting = node.Waiting(node.RestartPatience()),
         .on_no_service = [&] {
           node.say("This machine has no service manager: restart the kubelet yourself, now");
         }});
  });
  node.say("The kubelet is back");
}

}  // namespace ca_rotation
