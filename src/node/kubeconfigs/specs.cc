// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/specs.h"

#include <fmt/core.h>

#include <algorithm>
#include <vector>

#include "base/error.h"
#include "certs/tree.h"
#include "config/addresses.h"
#include "config/paths.h"

namespace kubeconfigs {
namespace {

constexpr KubeconfigSpec kSpecs[] = {
    {.file = config::kAdminConf,
     .phase = "admin",
     .user = certs::kAdmin.user,
     .organization = certs::kAdmin.organization,
     .server = Server::kControlPlane},
    {.file = config::kSuperAdminConf,
     .phase = "super-admin",
     .user = certs::kSuperAdmin.user,
     .organization = certs::kSuperAdmin.organization,
     .server = Server::kControlPlane},
    {.file = config::kKubeletConf,
     .phase = "kubelet",
     .user = "system:node:",
     .organization = "system:nodes",
     .server = Server::kLocal},
    {.file = config::kControllerManagerConf,
     .phase = "controller-manager",
     .user = certs::kControllerManager.user,
     .server = Server::kLocal},
    {.file = config::kSchedulerConf,
     .phase = "scheduler",
     .user = certs::kScheduler.user,
     .server = Server::kLocal},
};

}  // namespace

std::span<const KubeconfigSpec> InitSpecs() { return kSpecs; }

std::span<const KubeconfigSpec> JoinSpecs() {
  static const std::vector<KubeconfigSpec> specs = {
      FindSpec("admin"), FindSpec("controller-manager"), FindSpec("scheduler")};
  return specs;
}

const KubeconfigSpec& FindSpec(std::string_view phase) {
  const auto* found = std::ranges::find(kSpecs, phase, &KubeconfigSpec::phase);
  if (found == std::end(kSpecs)) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("there is no kubeconfig file for \"{}\"", phase));
  }
  return *found;
}

std::string UserOf(const KubeconfigSpec& spec, const config::Init& config) {
  std::string user(spec.user);
  return user.ends_with(':') ? user + config.init.node_registration.name : user;
}

std::string ServerUrl(Server server, const config::Init& config) {
  return server == Server::kLocal
             ? config::LocalEndpointUrl(config.init.local_api_endpoint)
             : config::ControlPlaneEndpointUrl(config.cluster, config.init.local_api_endpoint);
}

}  // namespace kubeconfigs
