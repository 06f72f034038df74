// SPDX-License-Identifier: Apache-2.0
// The progress of this node's etcd, by its own metrics.
#pragma once

#include <cstdint>
#include <optional>

#include "host/files.h"

namespace etcd_membership {

// Returns how many changes etcd has applied since its process began, including those of a snapshot.
// The metrics are available from its start, long before it serves. Returns std::nullopt if they are
// unreadable, and 0 before the first change. (Metric etcd_server_proposals_applied_total,
// https://etcd.io/docs/v3.6/metrics/.)
std::optional<std::uint64_t> AppliedHere(const host::Files& files);

}  // namespace etcd_membership
