// SPDX-License-Identifier: Apache-2.0
// How gRPC puts messages and statuses into HTTP.
#pragma once

#include <string>
#include <string_view>

#include "http/client.h"
#include "rpc/status.h"

namespace rpc {

// Framed is a message as a body holds it, with its length before it.
std::string Framed(std::string_view message);

// Reply is what an answer of HTTP says.
struct Reply {
  Status status;
  std::string message;  // bytes, when the status is fine
};

// ReadReply reads the answer to a unary call. Whatever is none of gRPC's becomes a status that says
// so (https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md).
Reply ReadReply(http::Response response);

}  // namespace rpc
