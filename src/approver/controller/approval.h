// SPDX-License-Identifier: Apache-2.0
// The write of an approval.
#pragma once

#include <chrono>

#include "json/fwd.h"
#include "judgement/facts.h"
#include "kube/client.h"

namespace controller {

// Returns whether `object` is the judged request: it has the same version and UID.
bool IsJudged(const json::Value& object, const judgement::Csr& judged);

// Returns the write of an approval: the judged version of the request with our condition added.
// Because the write names this version, it cannot overrule a concurrent decision or approve another
// request of the same name. It contains the whole object, because the API server treats omitted
// fields as removed. Throws base::Error(kInvalid) without a version or UID.
kube::Call ApprovalCall(json::Value object, std::chrono::sys_seconds now);

}  // namespace controller
