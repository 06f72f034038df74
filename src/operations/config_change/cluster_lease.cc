// SPDX-License-Identifier: Apache-2.0
#include "config_change/cluster_lease.h"

#include <fmt/core.h>

#include <chrono>

#include "base/error.h"
#include "base/log.h"
#include "stored_config/fetch.h"

namespace config_change {

namespace {

// The time limit for requests for the Lease to an API server that does not answer.
constexpr std::chrono::minutes kPatience{1};

std::function<void(const std::string& holder)> OnceFor(base::ShowLine say) {
  return [say = std::move(say), said = std::string()](const std::string& holder) mutable {
    if (said != holder) {
      said = holder;
      say(fmt::format("Waiting for {}, which is being changed", holder));
    }
  };
}

}  // namespace

void ClusterLease::OnTrouble(const base::Error& error, const std::string& text) {
  // The change itself may restart the only API server. Other messages report this restart.
  if (held_) {
    base::LogInfo(1, "{}", text);
    return;
  }
  const auto now = clock_.Steady();
  if (!failing_since_) {
    failing_since_ = now;
    say_(text);
  }
  if (now - *failing_since_ >= kPatience) {
    throw base::Error(error.kind(), text);
  }
}

ClusterLease::ClusterLease(kube::Client& client, host::Host& host, const std::string& node,
                           base::ShowLine say)
    : clock_(host.clock),
      say_(say),
      elector_(client.transport(), host.clock,
               {.name_space = "kube-system",
                .name = "kubeadm-config-apply",
                .identity = node,
                .retry_period = std::chrono::seconds(2),
                .waiting =
                    [this, once = OnceFor(std::move(say))](const std::string& holder) mutable {
                      failing_since_.reset();
                      once(holder);
                    },
                .trouble = [this](const base::Error& error,
                                  const std::string& text) { OnTrouble(error, text); }}) {
  if (!elector_.Acquire(host.signals.Interrupt())) {
    throw base::Interrupted("interrupted while waiting for the Lease kubeadm-config-apply");
  }
  held_ = true;
  renewal_.emplace().Add([this](const std::stop_token& stop) {
    while (!elector_.Keep(stop) && elector_.Acquire(stop)) {
    }
  });
}

ClusterLease::~ClusterLease() {
  renewal_.reset();
  elector_.Release();
}

void RequireStored(const config::StoredConfig& planned, kube::Client& client) {
  if (stored_config::FetchStoredConfig(client) != planned) {
    throw base::Error(
        base::Error::Kind::kConflict,
        "nothing was changed: the cluster's configuration has changed since the plan was made; "
        "run the command again");
  }
}

}  // namespace config_change
