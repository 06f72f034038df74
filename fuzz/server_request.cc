// SPDX-License-Identifier: Apache-2.0
// A request to our own server: parsed values contain no byte that would change the
// meaning of a path or a token.
#include "http/server_request.h"

#include "fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string head(fuzz::Text(bytes, size));
  const auto parsed = http::ParseRequest(head);
  const auto whole = http::SizeOfRequest(head);
  fuzz::Require(!whole || *whole >= 4, "a complete head ends with an empty line");
  if (parsed) {
    fuzz::Require(parsed->method.find(' ') == std::string::npos, "a method is a word");
    fuzz::Require(parsed->request.path.find_first_of(" ?\r") == std::string::npos,
                  "a path has neither blank nor query");
    const std::optional<std::string>& token = parsed->request.bearer_token;
    fuzz::Require(!token || (!token->empty() && token->find('\n') == std::string::npos &&
                             head.find(*token) != std::string::npos),
                  "a token stands on a line of the head");
    const std::optional<std::string>& body = parsed->request.body;
    fuzz::Require(body.has_value() == (parsed->method == "POST"), "only a POST has a body");
  }
  const bool with_body = size % 2 == 0;
  const std::string reply =
      http::ReplyText({.status = static_cast<int>(size), .body = head}, with_body);
  fuzz::Require(reply.starts_with("HTTP/1.1 ") && reply.ends_with(with_body ? head : "\r\n"),
                "a reply is one");
  return 0;
}
