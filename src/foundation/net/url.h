// SPDX-License-Identifier: Apache-2.0
// URLs as Go programs read them.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace net {

// Url is a URL cut into its parts. A relative one ("/etc/x", "a/b") is one without a scheme; one
// that goes on without a slash ("mailto:x") is a scheme with a target.
struct Url {
  std::string scheme;  // in lower case, "" when the text has none
  std::optional<std::string>
      user;          // as written, with a password perhaps; never for the user's eyes
  std::string host;  // escapes undone, without brackets; an address may have a zone: "fe80::1%eth0"
  std::string port;  // digits as written, "" when none is given
  std::string path;  // escapes undone
  std::string target;  // path, query and fragment as written: all that follows the authority

  // Parse reads what url.Parse of Go 1.26 reads. The error begins "this is not a URL: ".
  static std::expected<Url, std::string> Parse(std::string_view text);

  // Authority is "host:port" as it is shown to users and sent in Host headers: IPv6 in brackets,
  // the port of https or else of http filled in, no user.
  std::string Authority() const;
};

}  // namespace net
