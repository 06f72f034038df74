// SPDX-License-Identifier: Apache-2.0
// gRPC calls over HTTP/2 whose answer is one message or a stream
// (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/take_bytes.h"
#include "http/client.h"
#include "http/rpc/frame.h"
#include "http/rpc/status.h"

namespace rpc {

// A method of a service, by its path: "/etcdserverpb.Cluster/MemberList". Request and Answer are
// protobuf messages.
template <typename Request, typename Answer>
struct Method {
  std::string_view path;
};

// The limits of one call.
struct Bounds {
  // The timeout of the call, which the server also gets; 0: no timeout. For a stream, the longest
  // silence.
  std::chrono::milliseconds timeout{0};
  std::stop_token stop = {};
  std::size_t largest_answer = std::size_t{4} << 20;  // bytes of one message
};

// Calls one server, on kept-alive connections. Thread-safe.
class Channel {
 public:
  // Returns a channel to a server on this machine that listens at the path, without TLS.
  static Channel OnSocket(std::string path);
  // Returns a channel to the server of an origin ("https://10.0.0.1:2379"), without a proxy.
  static Channel OverTls(std::string origin, const http::Tls& tls);

  // Performs a unary call. Returns the server's status, and fills `answer` if the status is OK.
  // Throws the errors of http::Client if no answer arrives.
  template <typename Request, typename Answer>
  Status Call(const Method<Request, Answer>& method, const Request& request, Answer& answer,
              const Bounds& bounds) const {
    const Reply reply = Exchange(method.path, request.SerializeAsString(), bounds);
    if (reply.status.ok() && !answer.ParseFromString(reply.message)) {
      return {static_cast<int>(Code::kInternal), "the answer is not a known message"};
    }
    return reply.status;
  }

  // Passes each message of the answer to `on_answer` as it arrives. Returns the server's status at
  // the end. Throws the errors of Call, and base::Error(kInvalid) for a malformed message.
  // Propagates exceptions of `on_answer`.
  template <typename Request, typename Answer>
  Status Stream(const Method<Request, Answer>& method, const Request& request,
                const std::function<void(const Answer&)>& on_answer, const Bounds& bounds) const {
    const auto read = [&](std::string_view message) {
      Answer answer;
      if (!answer.ParseFromArray(message.data(), static_cast<int>(message.size()))) {
        throw base::Error(base::Error::Kind::kInvalid, "the answer is not a known message");
      }
      on_answer(answer);
    };
    return ExchangeStream(method.path, request.SerializeAsString(), read, bounds);
  }

 private:
  Channel(std::string origin, const http::Tls& tls, std::string socket);
  http::Request RequestOf(std::string_view path, std::string_view message,
                          const Bounds& bounds) const;
  Reply Exchange(std::string_view path, std::string_view message, const Bounds& bounds) const;
  Status ExchangeStream(std::string_view path, std::string_view message,
                        const base::TakeBytes& on_message, const Bounds& bounds) const;

  std::string origin_;
  std::string socket_;  // "": the address in the origin
  std::unique_ptr<http::Client> client_;
};

}  // namespace rpc
