// SPDX-License-Identifier: Apache-2.0
#include "steps/init/data.h"

#include <utility>

#include "base/error.h"
#include "config/addresses.h"
#include "config/paths.h"
#include "kube/dry_run.h"
#include "kubeconfigs/connect.h"
#include "objects/admin.h"

namespace init_steps {

steps::Transports InitData::ClientTransports(std::stop_token stop) const {
  return {.real = [this, stop] { return ConnectToCluster(stop); },
          .dry_run = [this](const base::ShowLine& log) { return ConnectToNobody(log); }};
}

// Returns the transport of a dry run without a cluster. Throws base::Error(kNotFound) if admin.conf
// does not exist yet. A dry run of one phase needs the results of dry runs of the previous phases.
steps::Transports::Transport InitData::ConnectToNobody(const base::ShowLine& log) const {
  const fs::path path = host.files.Location(options.kubeconfig);
  if (node_steps::IsDefaultAdminConf(options.kubeconfig) && !machine.files.Exists(path)) {
    throw base::Error(base::Error::Kind::kNotFound,
                      "couldn't read the kubeconfig file " + path.string() +
                          ": it does not exist; a dry run of the phase \"kubeconfig\" creates it");
  }
  return std::make_shared<kube::DryRunTransport>(kube::DryRunOptions{.log = log});
}

steps::Transports::Transport InitData::ConnectToCluster(std::stop_token stop) const {
  const auto connect = [](const kube::Kubeconfig& kubeconfig) -> steps::Transports::Transport {
    return kube::MakeHttpTransport(kubeconfig, {});
  };
  if (!node_steps::IsDefaultAdminConf(options.kubeconfig)) {
    return kubeconfigs::ConnectBy(host, fs::path(options.kubeconfig));
  }
  kube::RetryPolicy retry = Retry();
  const auto begin = host.clock.Steady();
  // In a complete init the API server has just been started, and is unhealthy until its
  // authorization rules exist. Therefore the limit is the limit for a starting control plane.
  if (journal != nullptr) {
    retry.limit = std::chrono::duration_cast<std::chrono::milliseconds>(
        Timeout(&config::Timeouts::control_plane_component_health_check));
  }
  const fs::path directory(config::kKubernetesDir);
  steps::Transports::Transport admin =
      objects::ConnectAsAdmin(host,
                              {.admin = directory / config::kAdminConf,
                               .super_admin = directory / config::kSuperAdminConf,
                               .server = config::LocalEndpointUrl(config.init.local_api_endpoint)},
                              connect, retry, stop);
  // A complete init begins to write as soon as the API server answers, so it must wait for the API
  // server's built-in objects.
  if (journal != nullptr) {
    objects::WaitForBuiltIns(admin, host.clock, retry.LeftSince(begin, host.clock), stop);
  }
  return admin;
}

void InitData::SetCertificateKey(std::string key) {
  const std::scoped_lock lock(mutex_);
  certificate_key_ = std::move(key);
}

std::optional<std::string> InitData::CertificateKey() const {
  const std::scoped_lock lock(mutex_);
  return certificate_key_;
}

}  // namespace init_steps
