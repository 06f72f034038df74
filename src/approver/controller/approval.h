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

// Returns the write of an approval: the request with our condition added, for the version that was
// judged. So a concurrent decision is not overruled, and no other request of the same name is
// approved. The API server treats omitted fields as removed. Throws base::Error(kInvalid) without a
// version or UID.
kube::Call ApprovalCall(json::Value object, std::chrono::sys_seconds now);

}  // namespace controller
