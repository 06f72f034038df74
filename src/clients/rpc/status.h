// SPDX-License-Identifier: Apache-2.0
// What a gRPC status says, whichever service it comes from.
#pragma once

#include <string_view>

namespace rpc {

// Code is one of google.rpc.Code, those that mean something here; a status may have any other.
enum class Code {
  kCancelled = 1,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kPermissionDenied = 7,
  kUnimplemented = 12,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

// LastCause is the end of gRPC's chain of causes: "Connection refused" of
// "failed to connect to all addresses; last error: UNKNOWN: unix:/run/x.sock: Connection refused".
std::string_view LastCause(std::string_view message);

}  // namespace rpc
