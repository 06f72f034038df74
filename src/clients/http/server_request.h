// SPDX-License-Identifier: Apache-2.0
// The few words of HTTP/1.1 that the server knows (RFC 9112). For the files of this room only.
#pragma once

#include <optional>
#include <string>

#include "http/server.h"

namespace http {

// ParsedHead is what the head of a request says.
struct ParsedHead {
  std::string method;
  ServerRequest request;
};

// ParseHead reads a head with the empty line that ends it; nothing when there is no request line.
std::optional<ParsedHead> ParseHead(const std::string& head);

// ReplyText is the whole reply as it is sent; without its body to a HEAD.
std::string ReplyText(const ServerReply& reply, bool with_body);

}  // namespace http
