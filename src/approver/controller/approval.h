// SPDX-License-Identifier: Apache-2.0
// The API call that approves a request.
#pragma once

#include <chrono>

#include "json/fwd.h"
#include "judgement/facts.h"
#include "kube/client.h"

namespace controller {

// Returns the API call that adds the condition Approved to the judged version of the request.
// Because the call names this version, it cannot overrule a concurrent decision or approve another
// request of the same name. It contains the whole object, because the API server treats omitted
// fields as removed. Throws base::Error(kInvalid) if the object has no resourceVersion or no UID.
kube::Call ApprovalCall(json::Value object, std::chrono::sys_seconds now);

}  // namespace controller
