// SPDX-License-Identifier: Apache-2.0
// The progress of this node's etcd, by its own metrics.
#pragma once

#include <cstdint>
#include <optional>

#include "host/files.h"

namespace etcd_membership {

// Returns how many changes this node's etcd has applied since its process started, including the
// changes of a snapshot. Returns 0 before the first change. Reads etcd's metrics, which are
// available from the start of etcd, long before it serves. Returns std::nullopt if the metrics are
// unreadable. (Metric etcd_server_proposals_applied_total, https://etcd.io/docs/v3.6/metrics/.)
std::optional<std::uint64_t> AppliedHere(const host::Files& files);

}  // namespace etcd_membership
