// SPDX-License-Identifier: Apache-2.0
// URLs as Go programs read them.
#pragma once

#include <expected>
#include <optional>
#include <string>
#include <string_view>

namespace net {

// A URL split into its parts. A URL without a scheme is relative ("/etc/x", "a/b"); a scheme
// without a slash after it ("mailto:x") has only a target.
struct Url {
  std::string scheme;               // in lower case, "" when the text has none
  std::optional<std::string> user;  // as written, possibly with a password; never shown to the user
  std::string host;    // decoded, without brackets; an address may have a zone: "fe80::1%eth0"
  std::string port;    // digits as written, "" when none is given
  std::string path;    // decoded
  std::string target;  // path, query and fragment as written: everything after the authority

  // Accepts the input of url.Parse of Go 1.26. The error begins "this is not a URL: ".
  static std::expected<Url, std::string> Parse(std::string_view text);

  // Returns "host:port" for messages and Host headers, without the user. IPv6 addresses are in
  // brackets. A missing port is replaced by the default port of https or http.
  std::string Authority() const;
};

}  // namespace net
