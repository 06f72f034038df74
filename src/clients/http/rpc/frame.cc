// SPDX-License-Identifier: Apache-2.0
#include "http/rpc/frame.h"

#include <fmt/core.h>

#include <optional>

#include "base/error.h"
#include "base/number.h"
#include "base/utf8.h"
#include "http/escape.h"

namespace rpc {
namespace {

constexpr std::size_t kPrefix = 5;  // the compression flag, and the length in four bytes

Status Failed(Code code, std::string message) {
  return {static_cast<int>(code), std::move(message)};
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

// Returns the length of the message with which the bytes begin. Returns std::nullopt if no valid
// message begins there. A compressed message is invalid, because this client does not offer
// compression.
std::optional<std::size_t> LengthIn(std::string_view bytes) {
  if (bytes.size() < kPrefix || bytes[0] != 0) {
    return std::nullopt;
  }
  std::size_t length = 0;
  for (std::size_t i = 1; i < kPrefix; ++i) {
    length = length << 8U | static_cast<unsigned char>(bytes[i]);
  }
  return length;
}

// Returns the one message of a body; std::nullopt for any other body.
std::optional<std::string> MessageIn(std::string body) {
  const std::optional<std::size_t> length = LengthIn(body);
  if (!length || *length != body.size() - kPrefix) {
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

void MessageReader::Take(std::string_view bytes, const base::TakeBytes& on_message) {
  rest_.append(bytes);
  std::size_t read = 0;
  while (rest_.size() - read >= kPrefix) {
    const std::string_view left = std::string_view(rest_).substr(read);
    const std::optional<std::size_t> length = LengthIn(left);
    if (!length || *length > largest_) {
      throw base::Error(base::Error::Kind::kInvalid,
                        "the answer is not a gRPC message, or is too large");
    }
    if (left.size() < kPrefix + *length) {
      break;
    }
    on_message(left.substr(kPrefix, *length));
    read += kPrefix + *length;
  }
  rest_.erase(0, read);
}

Status ReadStatus(http::Response& response) {
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
    // Decoded control characters are escaped again, because they may control a terminal.
    const std::string words = http::Unescape(response.headers["grpc-message"]);
    return {*code, base::Visible(words, "\n\t")};
  }
  return {};
}

Reply ReadReply(http::Response response) {
  if (Status status = ReadStatus(response); !status.ok()) {
    return {.status = std::move(status), .message = ""};
  }
  std::optional<std::string> message = MessageIn(std::move(response.body));
  if (!message) {
    return {.status = Failed(Code::kInternal, "the answer is not one whole message"),
            .message = ""};
  }
  return {.status = {}, .message = *std::move(message)};
}

}  // namespace rpc
