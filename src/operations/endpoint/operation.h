// SPDX-License-Identifier: Apache-2.0
// The operations that give this node and its cluster another control-plane endpoint, and that give
// the previous one up. A run that was interrupted is resumed by new facts and a new plan, which has
// no step that is done; the way back is another `endpoint set`.
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

// Dependencies of the steps. The host outlives them.
struct Deps {
  host::Host& host;
  std::shared_ptr<kube::Client> client;
  std::function<std::unique_ptr<cri::Runtime>()> connect_runtime;
  std::chrono::sys_seconds start;            // of the process: validity periods count from it
  std::chrono::milliseconds limit{240'000};  // for each wait
  bool wait_for_endpoint = true;             // until the kubelet reaches the cluster by it
};

// RequireKeys throws base::Error(kInvalid) when a certificate is to be issued and the key of its CA
// is not on this node. Nothing has been changed then.
void RequireKeys(const Seen& seen, const Deps& deps);

// RequireKubelet throws base::Error when a component is to be restarted and the kubelet, which
// starts it again, does not run. Nothing has been changed then.
void RequireKubelet(const Plan& plan, const Deps& deps, const std::stop_token& stop);

// PlanSet returns the steps of a plan; an empty plan has none. The first step issues the
// certificate. The API server, which reads it without a restart, must serve it before the cluster's
// objects name the endpoint.
engine::Operation PlanSet(const Plan& plan, const Seen& seen, const Deps& deps);

// PlanFinish returns the steps that give the previous endpoint up. The last one removes the record
// of the change, unless other API servers still serve an old name.
engine::Operation PlanFinish(const FinishPlan& plan, const Seen& seen, const Record& record,
                             const Ending& ending, const Deps& deps);

}  // namespace endpoint
