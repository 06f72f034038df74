// SPDX-License-Identifier: Apache-2.0
// The one write of an approval.
#pragma once

#include <chrono>

#include "judgement/facts.h"
#include "kube/client.h"

namespace controller {

// ApprovalCall is the one write of an approval: the request's conditions and ours, on the version
// that was judged, so that whoever else decided meanwhile is not overruled, and no other request of
// the name is approved. Throws base::Error(kInvalid) for one without version or UID.
kube::Call ApprovalCall(const judgement::Csr& csr, std::chrono::sys_seconds now);

}  // namespace controller
