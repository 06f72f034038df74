// SPDX-License-Identifier: Apache-2.0
#include "rpc/channel.h"

#include <fmt/core.h>

#include <utility>

namespace rpc {

Channel Channel::OnSocket(std::string path) {
  // Without a path http::Client would go where the URL says, and that is the network.
  return {"http://localhost", http::Tls(), path.empty() ? "/" : std::move(path)};
}

Channel Channel::OverTls(std::string origin, const http::Tls& tls) {
  return {std::move(origin), tls, ""};
}

Channel::Channel(std::string origin, const http::Tls& tls, std::string socket)
    : origin_(std::move(origin)),
      socket_(std::move(socket)),
      client_(std::make_unique<http::Client>(tls)) {}

Reply Channel::Exchange(std::string_view path, std::string_view message,
                        const Bounds& bounds) const {
  http::Request request{.method = "POST",
                        .url = fmt::format("{}{}", origin_, path),
                        .headers = {{"content-type", "application/grpc"}, {"te", "trailers"}},
                        .body = Framed(message),
                        .timeout = bounds.timeout,
                        .stop = bounds.stop,
                        .version = http::Version::kHttp2,
                        .unix_socket = socket_,
                        .proxy = "",
                        .largest_body = bounds.largest_answer};
  if (bounds.timeout.count() > 0) {
    request.connect_timeout = bounds.timeout;
    request.headers.emplace_back("grpc-timeout", fmt::format("{}m", bounds.timeout.count()));
  }
  return ReadReply(client_->Do(request));
}

}  // namespace rpc
