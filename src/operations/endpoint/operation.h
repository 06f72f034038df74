// SPDX-License-Identifier: Apache-2.0
// The operations that give this node and its cluster another control-plane endpoint, and that drop
// the previous one. An interrupted run is resumed with new facts and a new plan without the
// completed steps. To revert a change, the user sets the previous endpoint again (`endpoint set`).
#pragma once

#include <chrono>
#include <functional>
#include <memory>

#include "cri/runtime.h"
#include "endpoint/gather.h"
#include "endpoint/plan.h"
#include "engine/operation.h"
#include "host/host.h"
#include "kube/client.h"

namespace endpoint {

// Dependencies of the steps. The host must outlive them.
struct Deps {
  host::Host& host;
  std::shared_ptr<kube::Client> client;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::chrono::sys_seconds start;            // of the process: validity periods count from it
  std::chrono::milliseconds limit{240'000};  // for each wait
  bool wait_for_endpoint = true;             // until the kubelet reaches the cluster by it
};

// Throws base::Error(kInvalid), before any change, if a certificate is to be issued and the key of
// its CA is not on this node.
void RequireKeys(const Seen& seen, const Deps& deps);

// Throws base::Error, before any change, if a component is to be restarted and the kubelet, which
// starts it again, does not run.
void RequireKubelet(const Plan& plan, const Deps& deps, const std::stop_token& stop);

// Returns the steps of a plan; an empty plan has none. The first step issues the certificate. The
// API server, which reads it without a restart, must serve it before the cluster's objects name the
// endpoint.
engine::Operation PlanSet(const Plan& plan, const Seen& seen, const Deps& deps);

// Returns the steps that drop the previous endpoint. The last one removes the record of the change,
// unless other API servers still serve an old name.
engine::Operation PlanFinish(const FinishPlan& plan, const Seen& seen, const Record& record,
                             const Ending& ending, const Deps& deps);
engine::Operation NothingToFinish();  // without a change in progress

// Returns the journal of an interrupted PlanSet or PlanFinish, to be resumed by `operation`; also
// one of another endpoint if the operation has no steps, to be removed. The facts show which steps
// are done, so the journal counts only for restarts, and only while no file has to be rewritten.
// Throws the errors of engine::LoadJournal.
std::optional<engine::Journal> FindInterrupted(const engine::Operation& operation,
                                               const host::Files& files);

}  // namespace endpoint
