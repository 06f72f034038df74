// SPDX-License-Identifier: Apache-2.0
// The write of an approval.
#pragma once

#include <chrono>

#include "json/fwd.h"
#include "judgement/facts.h"
#include "kube/client.h"

namespace controller {

// Returns whether `object` is the judged request: of its version and UID.
bool IsJudged(const json::Value& object, const judgement::Csr& judged);

// Returns the one write of an approval: the request as it is and our condition, on the version that
// was judged. A concurrent decision is therefore not overruled, and no other request of the name is
// approved. The API server treats omitted fields as removed. Throws base::Error(kInvalid) without a
// version or UID.
kube::Call ApprovalCall(json::Value object, std::chrono::sys_seconds now);

}  // namespace controller
