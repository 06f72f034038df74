// SPDX-License-Identifier: Apache-2.0
#include "config_change/turn.h"

#include <fmt/core.h>

#include <chrono>

#include "base/error.h"
#include "stored_config/fetch.h"

namespace config_change {

namespace {

std::function<void(const std::string& holder)> OnceFor(base::ShowLine say) {
  return [say = std::move(say), said = std::string()](const std::string& holder) mutable {
    if (said != holder) {
      said = holder;
      say(fmt::format("Waiting for {}, which is being changed", holder));
    }
  };
}

}  // namespace

Turn::Turn(kube::Client& client, host::Host& host, const std::string& node, base::ShowLine say)
    : elector_(client.transport(), host.clock,
               {.name_space = "kube-system",
                .name = "kubeadm-config-apply",
                .identity = node,
                .retry_period = std::chrono::seconds(2),
                .waiting = OnceFor(std::move(say))}) {
  if (!elector_.Acquire(host.signals.Interrupt())) {
    throw base::Error(base::Error::Kind::kCancelled, "interrupted while it waited for its turn");
  }
  keeper_.emplace().Add([this](const std::stop_token& stop) { elector_.Keep(stop); });
}

Turn::~Turn() {
  keeper_.reset();
  elector_.Release();
}

void RequireStored(const config::StoredConfig& planned, kube::Client& client) {
  if (stored_config::FetchStoredConfig(client) != planned) {
    throw base::Error(
        base::Error::Kind::kConflict,
        "nothing was changed: the cluster's configuration has become another one since the plan "
        "was made; run the command again");
  }
}

}  // namespace config_change
