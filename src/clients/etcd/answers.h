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

// CallError makes the error for a gRPC status (the codes of google.rpc.Code) that is no refusal.
base::Error CallError(std::string_view endpoint, int code, std::string_view message);

// NothingListens: the error tells of a machine that is there, and of no program at that port.
bool NothingListens(std::string_view message);

// Target turns "https://10.0.0.1:2379" into what gRPC dials ("ipv4:10.0.0.1:2379",
// "ipv6:%5Bfd00::1%5D:2379", "dns:///etcd.example:2379"). Throws base::Error(kInvalid).
std::string Target(std::string_view url);

// HexId is how etcd and its tools write a member's id: "8e9e05c52164694d".
std::string HexId(std::uint64_t id);

}  // namespace etcd
