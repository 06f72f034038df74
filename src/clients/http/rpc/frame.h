// SPDX-License-Identifier: Apache-2.0
// The framing of gRPC messages and statuses in HTTP.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "base/take_bytes.h"
#include "http/client.h"
#include "http/rpc/status.h"

namespace rpc {

// Returns a message with its length prefix.
std::string Framed(std::string_view message);

// Splits the body of a stream into messages, as it arrives.
class MessageReader {
 public:
  // A message of more than `largest` bytes is malformed.
  explicit MessageReader(std::size_t largest) : largest_(largest) {}

  // Passes each complete message to `on_message`. Throws base::Error(kInvalid) for a malformed
  // message. Propagates exceptions of `on_message`.
  void Take(std::string_view bytes, const base::TakeBytes& on_message);
  // Returns false in the middle of a message.
  bool IsWhole() const { return rest_.empty(); }

 private:
  std::size_t largest_;
  std::string rest_;
};

// The content of an HTTP answer.
struct Reply {
  Status status;
  std::string message;  // bytes, if the status is OK
};

// Parses the answer to a unary call. An answer that is not gRPC becomes a gRPC status with this
// reason (https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md).
Reply ReadReply(http::Response response);

// Returns the status of an answer, or of a stream at its end.
Status ReadStatus(http::Response& response);

}  // namespace rpc
