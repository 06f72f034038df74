// SPDX-License-Identifier: Apache-2.0
// What etcd's answers and addresses mean, apart from the wire.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "etcd/client.h"

namespace etcd {

// RefusalIn reads a gRPC status message ("etcdserver: …"); kNone for any other error.
Refusal RefusalIn(std::string_view message);

// NoAnswer says of an endpoint what kept http::Client from getting its answer: kUnauthorized when
// the two sides' certificates do not fit, kTimeout, kCancelled, else kUnavailable.
base::Error NoAnswer(std::string_view endpoint, const base::Error& error);

// CallError makes the error for a gRPC status (the codes of google.rpc.Code) that is not a refusal.
base::Error CallError(std::string_view endpoint, int code, std::string_view message);

// NothingListens: the error tells of a machine that is there, and of no program at that port.
bool NothingListens(std::string_view message);

// Origin is a client URL without a slash at its end: "https://10.0.0.1:2379". Throws
// base::Error(kInvalid) for one that is not of that form.
std::string Origin(std::string_view url);

// HexId is how etcd and its tools write a member's id: "8e9e05c52164694d".
std::string HexId(std::uint64_t id);

}  // namespace etcd
