// SPDX-License-Identifier: Apache-2.0
// The subset of HTTP/1.1 that the server supports (RFC 9112). Internal to this library.
#pragma once

#include <optional>
#include <string>

#include "http/server.h"

namespace http {

// The parsed head of a request.
struct ParsedHead {
  std::string method;
  ServerRequest request;
};

// Parses a head with the empty line that ends it; returns std::nullopt without a request line.
std::optional<ParsedHead> ParseHead(const std::string& head);

// Returns the whole reply as it is sent; without its body for a HEAD.
std::string ReplyText(const ServerReply& reply, bool with_body);

}  // namespace http
