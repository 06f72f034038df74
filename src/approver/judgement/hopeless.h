// SPDX-License-Identifier: Apache-2.0
// Terminal requests, which no inventory can make valid: they must cost as little as possible.
#pragma once

#include <optional>

#include "judgement/judge.h"

namespace judgement {

// Returns the verdict on a request that is refused whatever the inventories contain. Requests are
// immutable, so such a verdict is final. Returns std::nullopt if a machine, node or kubelet may
// still make the request valid. The verdict contains no rules, and only the beginning of its
// message.
std::optional<Verdict> HopelessVerdict(const Csr& csr, const ParsedRequest& request, bool tokens);

}  // namespace judgement
