// SPDX-License-Identifier: Apache-2.0
// Terminal requests, which nothing can make valid: they must cost as little as possible.
#pragma once

#include <optional>

#include "judgement/judge.h"

namespace judgement {

// Returns the verdict on a request that would be refused whatever the inventories contain: only the
// request itself could change that, and requests are immutable. Returns std::nullopt if a machine,
// node or kubelet may still make it valid. The verdict has no rules, and only the beginning of its
// message.
std::optional<Verdict> HopelessVerdict(const Csr& csr, const ParsedRequest& request, bool tokens);

}  // namespace judgement
