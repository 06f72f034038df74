// SPDX-License-Identifier: Apache-2.0
// Requests that nothing can make good: they cost the approver as little as can be.
#pragma once

#include <optional>

#include "judgement/judge.h"

namespace judgement {

// HopelessVerdict is the verdict on a request that would not be approved even if somebody vouched
// for all that it asks for: only the request itself could change that, and requests do not change.
// Nothing when a machine, node or kubelet may yet make it good. The verdict has no rules, and of
// its message the beginning.
std::optional<Verdict> HopelessVerdict(const Csr& csr, const ParsedRequest& request, bool tokens);

}  // namespace judgement
