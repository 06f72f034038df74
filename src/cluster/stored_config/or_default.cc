// SPDX-License-Identifier: Apache-2.0
#include "stored_config/or_default.h"

#include <fmt/core.h>

#include "base/duration.h"
#include "base/error.h"
#include "kubeconfigs/connect.h"
#include "node_input/config_facts.h"
#include "node_input/load_config.h"
#include "stored_config/fetch.h"

namespace stored_config {
namespace {

using std::chrono::milliseconds;

// The timeout for callers that do not set one. It is short, because a renewal must work while the
// cluster is down.
constexpr milliseconds kSoon{350};

config::Init LoadFromCluster(const Places& places, host::Host& host, milliseconds patience) {
  kube::Client client = kubeconfigs::ClientBy(host, places.kubeconfig, patience);
  config::Init config = LoadClusterConfig(client, {.advertise_address = node_input::kAnyAddress},
                                          node_input::CollectFacts(host));
  config.cluster.certificates_dir = places.cert_dir;
  return config;
}

bool Passes(const base::Error& error) {
  return error.kind() == base::Error::Kind::kUnavailable ||
         error.kind() == base::Error::Kind::kTimeout;
}

void Say(const base::ShowLine& show, const std::string& line) {
  if (show) {
    show(line);
  }
}

config::Init LoadFromCluster(const Places& places, host::Host& host, const Listener& listener) {
  try {
    return LoadFromCluster(places, host, kSoon);
  } catch (const base::Error& error) {
    if (places.patience <= kSoon || !Passes(error)) {
      throw;
    }
    Say(listener.trouble,
        fmt::format("The cluster's configuration cannot be read, trying again for up to {}: {}",
                    base::FormatDuration(places.patience), error.message()));
  }
  return LoadFromCluster(places, host, places.patience);
}

}  // namespace

config::Init LoadOrDefault(const Places& places, host::Host& host, const Listener& listener) {
  if (places.file.empty()) {
    try {
      config::Init config = LoadFromCluster(places, host, listener);
      Say(listener.found, "Read the configuration from the cluster");
      Say(listener.found, "To see it: kubectl -n kube-system get configmap kubeadm-config -o yaml");
      Say(listener.found, "");
      return config;
    } catch (const base::Error& error) {
      if (places.otherwise == Places::Otherwise::kNothing) {
        throw base::Error(error.kind(),
                          "the cluster's configuration cannot be read, and --config names none: " +
                              error.message());
      }
      Say(listener.trouble,
          "The cluster's configuration cannot be read, continuing with the defaults: " +
              error.message());
      if (listener.defaults) {
        listener.defaults();
      }
    }
  }
  return node_input::LoadInit(
      host, places.file,
      {.apiserver_advertise_address = node_input::kAnyAddress, .cert_dir = places.cert_dir});
}

}  // namespace stored_config
