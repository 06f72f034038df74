// SPDX-License-Identifier: Apache-2.0
#include "steps/join/data.h"

#include "config/load.h"
#include "config/paths.h"
#include "discovery/canned.h"
#include "discovery/discover.h"
#include "kube/dry_run.h"
#include "kubeconfigs/connect.h"
#include "node_input/config_facts.h"
#include "stored_config/fetch.h"

namespace join_steps {

using std::chrono::milliseconds;

const kube::Kubeconfig& JoinData::Bootstrap(workflow::Context& context) {
  const std::scoped_lock lock(discovery_mutex_);
  if (!bootstrap_) {
    bootstrap_ = given ? *given : Discover(context);
  }
  return *bootstrap_;
}

kube::Client& JoinData::BootstrapClient(workflow::Context& context) {
  const kube::Kubeconfig& bootstrap = Bootstrap(context);
  const std::scoped_lock lock(discovery_mutex_);
  ReportIn(context);
  if (!bootstrap_clients_) {
    bootstrap_clients_.emplace(world.Connect(TransportsOf(bootstrap)), host.clock, Retry());
  }
  return bootstrap_clients_->Of(context);
}

kube::Kubeconfig JoinData::Discover(workflow::Context& context) {
  ReportIn(context);
  kube::Kubeconfig found =
      discovery::Discover(machine, {.config = join,
                                    .timeout = Timeout(&config::Timeouts::discovery),
                                    .stop = context.Stop(),
                                    .needs_credentials = !proof,
                                    .progress =
                                        [&](const std::string& text) {
                                          context.Progress(text);
                                          context.Retry(text);
                                        },
                                    .plugins = kubeconfigs::PluginsOn(machine),
                                    .ask = world.Ask()});
  if (proof) {
    found = LoginByIdentity({.proof = *proof,
                             .cluster = found.clusters.begin()->second,
                             .node = join.node_registration.name,
                             .limit = Timeout(&config::Timeouts::tls_bootstrap)},
                            machine, context);
  }
  context.Progress({});
  return found;
}

steps::Transports JoinData::TransportsOf(const kube::Kubeconfig& bootstrap) const {
  const auto connect = [this, bootstrap] { return kubeconfigs::ConnectBy(machine, bootstrap); };
  return {.real = connect, .dry_run = [connect](const base::ShowLine& log) {
            return std::make_shared<kube::DryRunTransport>(kube::DryRunOptions{
                .log = log, .real = connect(), .canned = discovery::CannedObject});
          }};
}

steps::Transports JoinData::ClientTransports(std::stop_token) const {
  return {.real = [this] { return kubeconfigs::ConnectBy(host, fs::path(options.kubeconfig)); },
          .dry_run =
              [](const base::ShowLine& log) {
                return std::make_shared<kube::DryRunTransport>(
                    kube::DryRunOptions{.log = log, .canned = discovery::CannedObject});
              }};
}

config::InitConfiguration JoinData::NodePart() const {
  config::InitConfiguration node;
  node.node_registration = join.node_registration;
  if (join.control_plane) {
    node.local_api_endpoint = join.control_plane->local_api_endpoint;
    node.certificate_key = join.control_plane->certificate_key;
  }
  node.timeouts = join.timeouts;
  node.patches = join.patches;
  return node;
}

void JoinData::LoadCluster(workflow::Context& context) {
  const std::scoped_lock lock(cluster_mutex_);
  if (cluster_is_loaded_) {
    return;
  }
  kube::Client& client = BootstrapClient(context);
  context.Print(
      "[preflight] Reading the cluster's configuration from ConfigMap \"kubeadm-config\" in "
      "namespace \"kube-system\"");
  config = config::LoadStored(
      stored_config::FetchStoredConfig(client), NodePart(), node_input::CollectFacts(machine),
      {.cri_socket = config::CriSocketChoice::kAssume,
       .advertise_address =
           control_plane() ? config::AdvertiseAddress::kChoose : config::AdvertiseAddress::kKeep});
  // A join's registration has no default taint of the control plane, unlike init's.
  config.init.node_registration = join.node_registration;
  // A dry run always uses the default directory of certificates.
  world.Do(
      {.in_dry_run = [&] { config.cluster.certificates_dir = config::kDefaultCertificatesDir; }});
  cluster_is_loaded_ = true;
}

}  // namespace join_steps
