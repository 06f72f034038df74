// SPDX-License-Identifier: Apache-2.0
#include "rpc/frame.h"

#include <fmt/core.h>

#include <optional>

#include "base/number.h"
#include "base/utf8.h"
#include "http/escape.h"

namespace rpc {
namespace {

constexpr std::size_t kPrefix = 5;  // whether it is compressed, and its length in four bytes

Reply Failed(Code code, std::string message) {
  return {.status = {static_cast<int>(code), std::move(message)}, .message = ""};
}

Code CodeOf(int http_status) {
  switch (http_status) {
    case 400:
      return Code::kInternal;
    case 401:
      return Code::kUnauthenticated;
    case 403:
      return Code::kPermissionDenied;
    case 404:
      return Code::kUnimplemented;
    case 429:
    case 502:
    case 503:
    case 504:
      return Code::kUnavailable;
    default:
      return Code::kUnknown;
  }
}

// MessageIn is the one message of a body; nothing when the body is anything else. We offer no
// compression, so there is none.
std::optional<std::string> MessageIn(std::string body) {
  if (body.size() < kPrefix || body[0] != 0) {
    return std::nullopt;
  }
  std::size_t length = 0;
  for (std::size_t i = 1; i < kPrefix; ++i) {
    length = length << 8U | static_cast<unsigned char>(body[i]);
  }
  if (length != body.size() - kPrefix) {
    return std::nullopt;
  }
  return body.erase(0, kPrefix);
}

}  // namespace

std::string Framed(std::string_view message) {
  std::string framed(1, '\0');
  for (unsigned shift = 32; shift != 0;) {
    shift -= 8;
    framed += static_cast<char>(message.size() >> shift & 0xffU);
  }
  return framed.append(message);
}

Reply ReadReply(http::Response response) {
  const auto status = response.headers.find("grpc-status");
  if (status == response.headers.end()) {
    return Failed(CodeOf(response.status),
                  fmt::format("the server does not speak gRPC: HTTP status {}", response.status));
  }
  const auto code = base::ParseNumber<int>(status->second);
  if (!code) {
    return Failed(Code::kUnknown,
                  fmt::format("a status that is not a number: {}", base::Visible(status->second)));
  }
  if (*code != 0) {
    // What is escaped may move a terminal's cursor.
    const std::string words = http::Unescape(response.headers["grpc-message"]);
    return {.status = {*code, base::Visible(words, "\n\t")}, .message = ""};
  }
  std::optional<std::string> message = MessageIn(std::move(response.body));
  if (!message) {
    return Failed(Code::kInternal, "the answer is not one whole message");
  }
  return {.status = {}, .message = *std::move(message)};
}

}  // namespace rpc
