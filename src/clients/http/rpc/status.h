// SPDX-License-Identifier: Apache-2.0
// The status of a gRPC call, for any service.
#pragma once

#include <string>
#include <string_view>

namespace rpc {

// The codes of google.rpc.Code that are used here. A status may have any other code.
enum class Code {
  kUnknown = 2,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kPermissionDenied = 7,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kUnauthenticated = 16,
};

// A server's result of a call.
struct Status {
  int code = 0;  // a Code, or any other number
  std::string message;
  bool ok() const { return code == 0; }
  bool is(Code other) const { return code == static_cast<int>(other); }
};

// Returns the last part of a chain of causes. For "cannot connect to 10.0.0.1:2379: connection
// refused" returns "connection refused".
std::string_view LastCause(std::string_view message);

}  // namespace rpc
