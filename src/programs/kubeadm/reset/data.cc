#include "kubeadm/reset/data.h"

#include <fmt/core.h>

#include "base/error.h"
#include "config/load.h"
#include "json/value.h"
#include "kubeconfigs/connect.h"

namespace kubeadm {
namespace {

using std::chrono::milliseconds;

// The cluster may be gone: nobody shall wait for it long (reference: upgrade-reset.md §8).
constexpr milliseconds kRetryLimit{350};
constexpr milliseconds kRequestTimeout{5'000};

}  // namespace

kube::Client* ResetData::Client() {
  if (!client_) {
    client_.emplace();
    if (host.files.Exists(options.kubeconfig)) {
      *client_ = std::make_unique<kube::Client>(
          kubeconfigs::ConnectBy(host, fs::path(options.kubeconfig),
                                 {.request_timeout = kRequestTimeout}),
          host.clock, kube::RetryPolicy{.limit = kRetryLimit, .grace = milliseconds(0)});
    }
  }
  return client_->get();
}

const config::ClusterConfiguration* ResetData::Cluster(workflow::Context& context) {
  if (!cluster_) {
    cluster_.emplace();
    try {
      if (kube::Client* client = Client(); client != nullptr) {
        client->Retry("", [&] {
          const json::Value map =
              client->Get(kube::resources::kConfigMap, "kube-system", "kubeadm-config");
          *cluster_ = config::DecodeCluster(json::TextAt(map, {"data", "ClusterConfiguration"}));
        });
      }
    } catch (const base::Error& error) {
      context.Warn(fmt::format(
          "the cluster's configuration cannot be read, going on without it: {}", error.message()));
    }
  }
  return *cluster_ ? &**cluster_ : nullptr;
}

}  // namespace kubeadm
