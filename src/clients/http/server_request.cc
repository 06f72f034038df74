// SPDX-License-Identifier: Apache-2.0
#include "http/server_request.h"

#include <fmt/core.h>

#include <optional>
#include <string_view>

#include "base/strings.h"

namespace http {
namespace {

// Returns the bearer token of the request head's Authorization line. Returns std::nullopt if the
// head has no bearer token, or several Authorization lines, which would be ambiguous.
std::optional<std::string> BearerToken(const std::string& head) {
  constexpr std::string_view kName = "authorization:";
  constexpr std::string_view kScheme = "bearer ";
  std::optional<std::string> token;
  int count = 0;
  for (const std::string& line : base::Split(head, '\n')) {
    if (!base::ToLower(line).starts_with(kName)) {
      continue;
    }
    const std::string value(base::Trim(line.substr(kName.size())));
    if (base::ToLower(value).starts_with(kScheme)) {
      token = base::Trim(value.substr(kScheme.size()));
    }
    ++count;
  }
  return count == 1 && token && !token->empty() ? token : std::nullopt;
}

std::string_view ReasonOf(int status) {
  switch (status) {
    case 200:
      return "OK";
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

std::optional<ParsedHead> ParseHead(const std::string& head) {
  const std::size_t space = head.find(' ');
  const std::size_t end = head.find_first_of(" ?\r", space + 1);
  if (space == std::string::npos || end == std::string::npos) {
    return {};
  }
  return ParsedHead{.method = head.substr(0, space),
                    .request = {.path = head.substr(space + 1, end - space - 1),
                                .bearer_token = BearerToken(head)}};
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
