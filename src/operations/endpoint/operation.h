// SPDX-License-Identifier: Apache-2.0
// Operations on the control-plane endpoint of this node and its cluster: one sets another endpoint,
// the other drops the previous endpoint. An interrupted run is resumed: new facts lead to a plan
// without the completed steps. To revert a change, the user sets the previous endpoint again
// (`endpoint set`).
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
struct EndpointDeps {
  host::Host& host;
  std::shared_ptr<kube::Client> client;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  // The start of this process.
  std::chrono::sys_seconds start;            // new certificates are valid from this time
  std::chrono::milliseconds limit{240'000};  // for each wait
  bool wait_for_endpoint = true;  // whether to wait until the kubelet reaches the cluster
};

// Checks that this node can issue the certificates of the change. Throws base::Error(kInvalid),
// before any change, if a required CA key is not on this node.
void RequireKeys(const EndpointFacts& seen, const EndpointDeps& deps);

// Checks that the kubelet runs, because only a running kubelet starts the replaced components. Has
// no effect if the plan restarts no component. Throws base::Error(kOther), before any change, if
// the kubelet does not run.
void RequireKubelet(const SetPlan& plan, const EndpointDeps& deps, const std::stop_token& stop);

// Returns the operation of a plan; an empty plan has no steps. The first step issues the API
// server's certificate, which the API server reloads without a restart. The API server must serve
// this certificate before objects of the cluster name the endpoint.
engine::Operation PlanSet(const SetPlan& plan, const EndpointFacts& seen, const EndpointDeps& deps);

// Returns the operation that drops the previous endpoint. The last step removes the record of the
// change, unless other API servers still serve an old name.
engine::Operation PlanFinish(const FinishPlan& plan, const EndpointFacts& seen,
                             const ChangeRecord& record, const Ending& ending,
                             const EndpointDeps& deps);
engine::Operation NothingToFinish();  // without a change in progress

// Returns the journal of an interrupted PlanSet or PlanFinish that `operation` resumes. For an
// operation without steps, also returns the journal of a change to another endpoint, so that
// the caller removes it. The collected facts show all completed steps except restarts. So the
// result contains only completed restarts; it contains none if a file must be rewritten. Throws the
// errors of engine::LoadJournal.
std::optional<engine::Journal> FindInterrupted(const engine::Operation& operation,
                                               const host::Files& files);

}  // namespace endpoint
