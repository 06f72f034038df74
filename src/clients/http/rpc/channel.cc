// SPDX-License-Identifier: Apache-2.0
#include "http/rpc/channel.h"

#include <fmt/core.h>

#include <utility>

namespace rpc {

Channel Channel::OnSocket(std::string path) {
  // If the path were empty, http::Client would connect to the URL's host over the network.
  return {"http://localhost", http::Tls(), path.empty() ? "/" : std::move(path)};
}

Channel Channel::OverTls(std::string origin, const http::Tls& tls) {
  return {std::move(origin), tls, ""};
}

Channel::Channel(std::string origin, const http::Tls& tls, std::string socket)
    : origin_(std::move(origin)),
      socket_(std::move(socket)),
      client_(std::make_unique<http::Client>(tls)) {}

http::Request Channel::RequestOf(std::string_view path, std::string_view message,
                                 const Bounds& bounds) const {
  http::Request request{.method = "POST",
                        .url = fmt::format("{}{}", origin_, path),
                        .headers = {{"content-type", "application/grpc"}, {"te", "trailers"}},
                        .body = Framed(message),
                        .timeout = std::chrono::milliseconds(0),
                        .stop = bounds.stop,
                        .version = http::Version::kHttp2,
                        .unix_socket = socket_,
                        .proxy = "",
                        .largest_body = bounds.largest_answer};
  if (bounds.timeout.count() > 0) {
    request.connect_timeout = bounds.timeout;
  }
  return request;
}

Reply Channel::Exchange(std::string_view path, std::string_view message,
                        const Bounds& bounds) const {
  http::Request request = RequestOf(path, message, bounds);
  request.timeout = bounds.timeout;
  if (bounds.timeout.count() > 0) {
    request.headers.emplace_back("grpc-timeout", fmt::format("{}m", bounds.timeout.count()));
  }
  return ReadReply(client_->Do(request));
}

Status Channel::ExchangeStream(std::string_view path, std::string_view message,
                               const base::TakeBytes& on_message, const Bounds& bounds) const {
  http::Request request = RequestOf(path, message, bounds);
  request.idle_timeout = bounds.timeout;
  MessageReader reader(bounds.largest_answer);
  http::Response response = client_->Stream(request, [&](std::string_view bytes) {
    reader.Take(bytes, on_message);
    return true;
  });
  Status status = ReadStatus(response);
  if (status.ok() && !reader.IsWhole()) {
    return {static_cast<int>(Code::kInternal), "the answer ends in the midst of a message"};
  }
  return status;
}

}  // namespace rpc
