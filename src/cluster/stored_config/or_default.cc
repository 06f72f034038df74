// SPDX-License-Identifier: Apache-2.0
#include "stored_config/or_default.h"

#include "base/error.h"
#include "base/log.h"
#include "config_input/gather.h"
#include "config_input/load.h"
#include "kubeconfigs/connect.h"
#include "stored_config/fetch.h"

namespace stored_config {
namespace {

// A cluster that does not answer soon is not waited for: renewal must work on one that is down.
constexpr std::chrono::milliseconds kPatience{350};

config::Init LoadFromCluster(const Places& places, host::Host& host) {
  kube::Client client = kubeconfigs::ClientBy(host, places.kubeconfig, kPatience);
  config::Init config = LoadClusterConfig(client, {.advertise_address = config_input::kAnyAddress},
                                          config_input::GatherFacts(host));
  config.cluster.certificates_dir = places.cert_dir;
  return config;
}

}  // namespace

config::Init LoadOrDefault(const Places& places, host::Host& host, const base::ShowLine& say) {
  if (places.file.empty()) {
    try {
      config::Init config = LoadFromCluster(places, host);
      say("Read the configuration from the cluster");
      say("To see it: kubectl -n kube-system get configmap kubeadm-config -o yaml");
      say("");
      return config;
    } catch (const base::Error& error) {
      base::LogInfo(1, "the cluster's configuration cannot be read: {}", error.message());
      say("The cluster's configuration cannot be read, going on with the defaults");
    }
  }
  return config_input::LoadInit(
      host, places.file,
      {.apiserver_advertise_address = config_input::kAnyAddress, .cert_dir = places.cert_dir});
}

}  // namespace stored_config
