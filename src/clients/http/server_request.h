// SPDX-License-Identifier: Apache-2.0
// The subset of HTTP/1.1 that the server supports (RFC 9112). Internal to this library.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "http/server.h"

namespace http {

// A parsed request.
struct ParsedRequest {
  std::string method;
  ServerRequest request;
};

// Returns the size of a request from its data so far. Returns std::nullopt until its head is
// complete. The body of a POST counts with its Content-Length. Without one valid length the request
// has no body: the server supports no other framing (RFC 9112 §6).
std::optional<std::size_t> SizeOfRequest(std::string_view data);

// Parses a complete request; returns std::nullopt without a request line.
std::optional<ParsedRequest> ParseRequest(const std::string& data);

// Returns the whole reply as it is sent. Leaves out the body for a HEAD request.
std::string ReplyText(const ServerReply& reply, bool with_body);

}  // namespace http
