// SPDX-License-Identifier: Apache-2.0
// How far this node's etcd has come, by its own word.
#pragma once

#include <cstdint>
#include <optional>

#include "host/files.h"

namespace etcd_membership {

// AppliedHere reads in its metrics how many changes it has applied since its process began, those
// of a snapshot among them: it shows them from its start, long before it serves. Nothing when they
// cannot be read, and 0 before there was a change. (Metric etcd_server_proposals_applied_total,
// https://etcd.io/docs/v3.6/metrics/.)
std::optional<std::uint64_t> AppliedHere(const host::Files& files);

}  // namespace etcd_membership
