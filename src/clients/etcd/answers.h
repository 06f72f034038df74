// SPDX-License-Identifier: Apache-2.0
// The meaning of etcd's answers and addresses, independent of the transport.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"
#include "etcd/client.h"

namespace etcd {

// Parses a gRPC status message ("etcdserver: …"); returns kNone for any other error.
Refusal RefusalIn(std::string_view message);

// Converts the error of http::Client for an endpoint that did not answer: kUnauthorized if the
// certificates do not match, kTimeout, or else kUnavailable.
base::Error NoAnswer(std::string_view endpoint, const base::Error& error);

// Creates the error for a gRPC status (the codes of google.rpc.Code) that is not a refusal.
base::Error CallError(std::string_view endpoint, int code, std::string_view message);

// Returns whether the error message shows that the machine is reachable, but no program listens at
// the port.
bool NothingListens(std::string_view message);

// Returns a client URL without a slash at its end: "https://10.0.0.1:2379". Throws
// base::Error(kInvalid) for another form.
std::string Origin(std::string_view url);

// Formats a member's id as etcd and its tools do: "8e9e05c52164694d".
std::string HexId(std::uint64_t id);

}  // namespace etcd
