// SPDX-License-Identifier: Apache-2.0
// Unary gRPC calls over HTTP/2 (https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-HTTP2.md).
#pragma once

#include <chrono>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>

#include "http/client.h"
#include "rpc/frame.h"
#include "rpc/status.h"

namespace rpc {

// Method is one of a service, by its path: "/etcdserverpb.Cluster/MemberList". Request and Answer
// are protobuf messages.
template <typename Request, typename Answer>
struct Method {
  std::string_view path;
};

// Bounds of one call.
struct Bounds {
  std::chrono::milliseconds timeout{0};  // the server is told, too; 0: none
  std::stop_token stop = {};
  std::size_t largest_answer = std::size_t{4} << 20;  // bytes
};

// Channel makes calls to one server, on connections that are kept. Safe to use from several
// threads.
class Channel {
 public:
  // OnSocket: a server that listens on this machine at the path, without TLS.
  static Channel OnSocket(std::string path);
  // OverTls: the server of an origin ("https://10.0.0.1:2379"), reached without a proxy.
  static Channel OverTls(std::string origin, const http::Tls& tls);

  // Call returns the server's status; the answer is filled if that is fine. Throws base::Error like
  // http::Client when no answer came.
  template <typename Request, typename Answer>
  Status Call(const Method<Request, Answer>& method, const Request& request, Answer& answer,
              const Bounds& bounds) const {
    const Reply reply = Exchange(method.path, request.SerializeAsString(), bounds);
    if (reply.status.ok() && !answer.ParseFromString(reply.message)) {
      return {static_cast<int>(Code::kInternal), "the answer is not a known message"};
    }
    return reply.status;
  }

 private:
  Channel(std::string origin, const http::Tls& tls, std::string socket);
  Reply Exchange(std::string_view path, std::string_view message, const Bounds& bounds) const;

  std::string origin_;
  std::string socket_;  // "": the origin says where
  std::unique_ptr<http::Client> client_;
};

}  // namespace rpc
