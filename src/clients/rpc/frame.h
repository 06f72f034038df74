// SPDX-License-Identifier: Apache-2.0
// How gRPC puts messages and statuses into HTTP.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/take_bytes.h"
#include "http/client.h"
#include "rpc/status.h"

namespace rpc {

// Framed is a message as a body holds it, with its length before it.
std::string Framed(std::string_view message);

// MessageReader cuts the body of a stream into its messages, as it comes.
class MessageReader {
 public:
  // A message of more than `largest` bytes is none.
  explicit MessageReader(std::size_t largest) : largest_(largest) {}

  // Take hands each message that is whole by now to `on_message`. Throws base::Error(kInvalid) for
  // what is no message, and what `on_message` throws.
  void Take(std::string_view bytes, const base::TakeBytes& on_message);
  // IsWhole is whether nothing is left of a message that has begun.
  bool IsWhole() const { return rest_.empty(); }

 private:
  std::size_t largest_;
  std::string rest_;
};

// Reply is what an answer of HTTP says.
struct Reply {
  Status status;
  std::string message;  // bytes, when the status is fine
};

// ReadReply reads the answer to a unary call. Whatever is none of gRPC's becomes a status that says
// so (https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md).
Reply ReadReply(http::Response response);

// ReadStatus is the status that an answer, or a stream at its end, says.
Status ReadStatus(http::Response& response);

}  // namespace rpc
