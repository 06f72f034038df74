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
// judged. Because of the version, the write neither overrules a concurrent decision nor approves
// another request of the same name. The write contains the whole object, because the API server
// treats omitted fields as removed. Throws base::Error(kInvalid) without a version or UID.
kube::Call ApprovalCall(json::Value object, std::chrono::sys_seconds now);

}  // namespace controller
