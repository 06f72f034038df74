// SPDX-License-Identifier: Apache-2.0
#include "control_plane/replaced_server.h"

#include <fmt/core.h>

#include "base/error.h"
#include "kube/wait.h"
#include "static_pods/serving.h"

namespace control_plane {
namespace {

using base::Error;

// The time within which a kubelet notices a changed manifest.
constexpr std::chrono::seconds kBeforeItEnds{3};

void Await(const ServerWait& wait) {
  const auto ready = [&](const std::stop_token& stop) -> std::optional<kube::NotYet> {
    wait.client.transport().GetPath("/readyz", stop);
    return std::nullopt;
  };
  const kube::WaitOptions waiting{
      .clock = wait.host.clock, .limit = wait.limit, .stop = wait.stop, .culprit = {}};
  // Waits twice: the first answer may come from an API server that the kubelet is about to end.
  kube::WaitUntil(static_pods::UntilAnswered(ready), waiting);
  wait.host.clock.Sleep(kBeforeItEnds, wait.stop);
  kube::WaitUntil(static_pods::UntilAnswered(ready), waiting);
}

}  // namespace

void AwaitReplacedServer(const ServerWait& wait) {
  const std::optional<UpgradeRecord> record = LoadRecord(wait.host.files);
  if (!record || !IsReplacing(*record)) {
    return;
  }
  if (record->restoring_data) {
    throw Error(Error::Kind::kConflict,
                "an upgrade of this node was interrupted while it restored etcd's data: complete "
                "the restore with 'kubeadm upgrade rollback'");
  }
  const auto progress = [&](std::optional<std::string_view> what) {
    if (wait.progress) {
      wait.progress(what);
    }
  };
  progress("waiting for the API server, which an interrupted run was replacing");
  try {
    Await(wait);
  } catch (const Error& error) {
    if (error.kind() != Error::Kind::kTimeout) {
      throw;
    }
    const char* const way = record->manifests.empty()
                                ? "see its log and etcd's: crictl ps -a, crictl logs"
                                : "'kubeadm upgrade rollback' restores the old static Pods";
    throw Error(error.kind(),
                fmt::format("the API server has not been ready since an upgrade of this node was "
                            "interrupted: {}. {}",
                            error.message(), way));
  }
  progress({});
}

}  // namespace control_plane
