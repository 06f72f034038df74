// SPDX-License-Identifier: Apache-2.0
#include "reset/teardown.h"

#include <fmt/core.h>

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "config/load.h"
#include "config/paths.h"
#include "json/value.h"
#include "kubeconfigs/connect.h"
#include "reset/leftovers.h"
#include "reset/places.h"

namespace reset {
namespace {

using std::chrono::milliseconds;

// A short limit, because the cluster may no longer exist (reference: upgrade-reset.md §8).
constexpr milliseconds kRetryLimit{350};
constexpr milliseconds kRequestTimeout{5'000};

}  // namespace

void Teardown::CollectKubeconfigs() {
  cluster_ca = ClusterCa(host.files);
  for (const fs::path& path : UserKubeconfigs(host)) {
    if (BelongsTo(host.files, path, cluster_ca) != Belongs::kNo) {
      user_kubeconfigs.push_back(path);
    }
  }
}

kube::Client* Teardown::Client() {
  if (!client_) {
    client_.emplace();
    if (host.files.Exists(kubeconfig)) {
      *client_ = std::make_unique<kube::Client>(
          kubeconfigs::ConnectBy(host, kubeconfig, {.request_timeout = kRequestTimeout}),
          host.clock, kube::RetryPolicy{.limit = kRetryLimit, .grace = milliseconds(0)});
    }
  }
  return client_->get();
}

const config::ClusterConfiguration* Teardown::Cluster(const Notes& notes) {
  if (!cluster_) {
    cluster_.emplace();
    try {
      if (kube::Client* client = Client(); client != nullptr) {
        client->Retry("", [&] {
          const json::Value map =
              client->Get({kube::resources::kConfigMap, "kube-system", "kubeadm-config"});
          *cluster_ = config::DecodeCluster(json::TextAt(map, {"data", "ClusterConfiguration"}));
        });
      }
    } catch (const base::Error& error) {
      notes.warn(
          fmt::format("the cluster's configuration cannot be read, continuing without it: {}",
                      error.message()));
    }
  }
  return *cluster_ ? &**cluster_ : nullptr;
}

void Teardown::WillRemove(const std::vector<fs::path>& paths) {
  std::ranges::move(FindLinks(host.files, paths), std::back_inserter(links_));
}

void Teardown::EmptyDirectory(const fs::path& directory, const Notes& notes) {
  std::vector<fs::path> entries;
  std::ranges::transform(NamesIn(host.files, directory), std::back_inserter(entries),
                         [&](const std::string& name) { return directory / name; });
  WillRemove(entries);
  for (const std::string& kept : Empty(host.files, directory, config)) {
    if (told_.insert(kept).second) {
      notes.warn(kept);
    }
  }
  if (!std::ranges::contains(emptied, directory)) {
    emptied.push_back(directory);
  }
}

std::vector<std::string> Teardown::LeftBehind() {
  std::erase_if(user_kubeconfigs, [&](const fs::path& path) { return !host.files.Exists(path); });
  return FindLeftovers(host, {.emptied = emptied,
                              .removed = removed,
                              .links = links_,
                              .kubelet_dir = fs::path(config::kKubeletDir),
                              .kubeconfigs = user_kubeconfigs});
}

}  // namespace reset
