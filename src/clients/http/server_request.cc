// SPDX-License-Identifier: Apache-2.0
#include "http/server_request.h"

#include <fmt/core.h>

#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>

#include "base/number.h"
#include "base/strings.h"

namespace http {
namespace {

// Returns the value of a header, whose name is in lower case and ends with ":". Returns
// std::nullopt if the head has none, or several, which would be ambiguous.
std::optional<std::string> OnlyHeader(std::string_view head, std::string_view name) {
  std::optional<std::string> value;
  int count = 0;
  for (const std::string& line : base::Split(head, '\n')) {
    if (base::ToLower(line).starts_with(name)) {
      value = base::Trim(line.substr(name.size()));
      ++count;
    }
  }
  return count == 1 ? value : std::nullopt;
}

// Returns the bearer token of the request head's Authorization line. Returns std::nullopt if the
// head has no bearer token, or several Authorization lines, which would be ambiguous.
std::optional<std::string> BearerToken(std::string_view head) {
  constexpr std::string_view kScheme = "bearer ";
  const std::optional<std::string> value = OnlyHeader(head, "authorization:");
  if (!value || !base::ToLower(*value).starts_with(kScheme)) {
    return std::nullopt;
  }
  std::string token(base::Trim(value->substr(kScheme.size())));
  return token.empty() ? std::nullopt : std::optional(std::move(token));
}

// Returns the position after the empty line that ends the head; std::nullopt without one.
std::optional<std::size_t> EndOfHead(std::string_view data) {
  constexpr std::string_view kEnd = "\r\n\r\n";
  const std::size_t at = data.find(kEnd);
  return at == std::string_view::npos ? std::nullopt : std::optional(at + kEnd.size());
}

std::size_t BodySize(std::string_view head) {
  if (!head.starts_with("POST ")) {
    return 0;
  }
  const std::optional<std::string> length = OnlyHeader(head, "content-length:");
  const auto size = length ? base::ParseNumber<std::uint32_t>(*length) : std::nullopt;
  return size.value_or(0);
}

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 202:
      return "Accepted";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 503:
      return "Service Unavailable";
    default:
      return "Error";
  }
}

}  // namespace

std::optional<std::size_t> SizeOfRequest(std::string_view data) {
  const std::optional<std::size_t> end = EndOfHead(data);
  return end ? std::optional(*end + BodySize(data.substr(0, *end))) : std::nullopt;
}

std::optional<ParsedRequest> ParseRequest(const std::string& data) {
  const std::size_t head_end = EndOfHead(data).value_or(data.size());
  const std::string head = data.substr(0, head_end);
  const std::size_t space = head.find(' ');
  const std::size_t end = head.find_first_of(" ?\r", space + 1);
  if (space == std::string::npos || end == std::string::npos) {
    return {};
  }
  ParsedRequest parsed{.method = head.substr(0, space),
                       .request = {.path = head.substr(space + 1, end - space - 1),
                                   .bearer_token = BearerToken(head)}};
  if (parsed.method == "POST") {
    parsed.request.body = data.substr(head_end, BodySize(head));
  }
  return parsed;
}

std::string ReplyText(const ServerReply& reply, bool with_body) {
  std::string text = fmt::format(
      "HTTP/1.1 {} {}\r\nContent-Type: {}\r\nContent-Length: {}\r\nConnection: close\r\n",
      reply.status, ReasonOf(reply.status), reply.content_type, reply.body.size());
  text += reply.status == 401 ? "WWW-Authenticate: Bearer\r\n\r\n" : "\r\n";
  if (with_body) {
    text += reply.body;
  }
  return text;
}

}  // namespace http
