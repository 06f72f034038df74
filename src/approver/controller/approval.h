// SPDX-License-Identifier: Apache-2.0
// The one write of an approval.
#pragma once

#include <chrono>

#include "json/fwd.h"
#include "judgement/facts.h"
#include "kube/client.h"

namespace controller {

// IsJudged is whether `object` is the very request that was judged: of its version and UID.
bool IsJudged(const json::Value& object, const judgement::Csr& judged);

// ApprovalCall is the one write of an approval: the request as it is and our condition, on the
// version that was judged, so that whoever else decided meanwhile is not overruled, and no other
// request of the name is approved. The API server takes over all that is left out as removed.
// Throws base::Error(kInvalid) for one without version or UID.
kube::Call ApprovalCall(json::Value object, std::chrono::sys_seconds now);

}  // namespace controller
