// SPDX-License-Identifier: Apache-2.0
// Rules that several kinds share.
#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cctype>

#include "base/error.h"
#include "base/strings.h"
#include "config/addresses.h"
#include "config/merged_args.h"
#include "config/validation.h"
#include "net/ip_address.h"
#include "net/unix_endpoint.h"
#include "net/url.h"

namespace config {
namespace {

constexpr std::string_view kDnsNameRule =
    "a name must consist of lower case letters, digits, '-' or '.', begin and end with a letter or "
    "digit, and have at most 253 characters (RFC 1123)";

constexpr std::size_t kLongestName = 253;

bool IsAlnum(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; }
bool IsLowerAlnum(char c) { return IsAlnum(c) && std::isupper(static_cast<unsigned char>(c)) == 0; }

// Returns whether the text is the host[:port] of a registry. In an address in brackets, checks only
// which characters occur, because the puller parses the address.
bool IsDomain(const std::string& text) {
  const auto bracket = text.starts_with('[') ? text.find(']') : std::string::npos;
  const auto colon = bracket == std::string::npos ? text.rfind(':') : bracket + 1;
  const std::string host = text.substr(0, colon);
  if (colon < text.size()) {
    const std::string port = text.substr(colon + 1);
    if (text[colon] != ':' || port.empty() ||
        port.find_first_not_of("0123456789") != std::string::npos) {
      return false;
    }
  }
  if (bracket != std::string::npos) {
    const std::string address = host.substr(1, host.size() - 2);
    return !address.empty() && address.find_first_not_of("0123456789abcdefABCDEF:") == host.npos;
  }
  return std::ranges::all_of(base::Split(host, '.'), [](const std::string& part) {
    return !part.empty() && IsAlnum(part.front()) && IsAlnum(part.back()) &&
           std::ranges::all_of(part, [](char c) { return IsAlnum(c) || c == '-'; });
  });
}

// IsPathComponent: runs of lower-case letters and digits, between them ".", "_", "__" or dashes.
bool IsPathComponent(const std::string& text) {
  std::size_t i = 0;
  while (true) {
    const std::size_t start = i;
    while (i < text.size() && IsLowerAlnum(text[i])) {
      ++i;
    }
    if (i == start) {
      return false;
    }
    if (i == text.size()) {
      return true;
    }
    const std::size_t end = std::min(text.find_first_not_of(text[i], i), text.size());
    const std::size_t limit = text[i] == '-' ? text.size() : text[i] == '_' ? 2 : 1;
    if ((text[i] != '-' && text[i] != '_' && text[i] != '.') || end - i > limit) {
      return false;
    }
    i = end;
  }
}

bool IsSan(const std::string& san) {
  return net::IpAddress::ParseSloppy(san) || base::IsDns1123Subdomain(san) ||
         (san.starts_with("*.") && san.size() <= kLongestName &&
          base::IsDns1123Subdomain(san.substr(2)));
}

}  // namespace

bool IsImageRepository(const std::string& repository) {
  std::vector<std::string> parts = base::Split(repository, '/');
  if (std::ranges::all_of(parts, IsPathComponent)) {
    return true;
  }
  return IsDomain(parts.front()) &&
         std::ranges::all_of(parts.begin() + 1, parts.end(), IsPathComponent);
}

void CheckControlPlaneEndpoint(const std::string& endpoint) {
  const auto invalid = [&](const std::string& why) {
    return base::Error(base::Error::Kind::kInvalid, fmt::format("hostport {}: {}", endpoint, why));
  };
  net::HostPort parts;
  try {
    parts = ReadEndpoint(endpoint);
  } catch (const base::Error& error) {
    throw invalid(error.message());
  }
  if (!parts.port.empty() && !parts.PortNumber()) {
    throw invalid(fmt::format("port {} must be a number between 1 and 65535", parts.port));
  }
  if (!net::IpAddress::ParseSloppy(parts.host) && !base::IsDns1123Subdomain(parts.host)) {
    throw invalid(
        fmt::format("host '{}' must be an IP address or a lower case DNS name", parts.host));
  }
}

void ValidateAbsolutePath(const std::string& value, const std::string& path,
                          base::Problems& problems) {
  if (!value.starts_with('/')) {
    problems.Add(path, base::InvalidValue(base::Quoted(value), "path is not absolute"));
  }
}

void ValidateArgs(const Args& args, const std::string& path, base::Problems& problems) {
  for (std::size_t i = 0; i < args.size(); ++i) {
    if (args[i].name.empty()) {
      problems.Add(path,
                   base::InvalidValue(fmt::format("\"index {}\"", i), "argument has no name"));
    }
    if (!IsMergeMethod(args[i].merge_method)) {
      problems.Add(path, base::InvalidValue(fmt::format("\"index {}\"", i),
                                            fmt::format("argument has an invalid merge method {}: "
                                                        "\"append\", \"prepend\" or none",
                                                        base::Quoted(args[i].merge_method))));
    }
  }
}

void ValidateSans(const std::vector<std::string>& sans, const std::string& path,
                  base::Problems& problems) {
  for (const std::string& san : sans) {
    if (!IsSan(san)) {
      problems.Add(path, base::InvalidValue(
                             base::Quoted(san),
                             "must be an IP address, a DNS name, or a DNS name after \"*.\""));
    }
  }
}

void ValidateSocket(const std::string& socket, const std::string& path, base::Problems& problems) {
  // Upstream converts "tcp://x" to "unix://tcp://x" and accepts the result, although connecting to
  // it fails. This function accepts tcp and npipe, too. Any other scheme is a misspelt path.
  const auto url = net::Url::Parse(socket);
  if (url && url->scheme == "unix" && url->path.starts_with("//") &&
      (url->host == "tcp" || url->host == "npipe")) {
    return;
  }
  if (const auto found = net::UnixSocketPath(socket); !found) {
    problems.Add(path, base::InvalidValue(base::Quoted(socket), found.error()));
  }
}

void ValidatePullPolicy(const std::string& policy, const std::string& path,
                        base::Problems& problems) {
  constexpr std::array<std::string_view, 4> kPolicies{"", "Always", "IfNotPresent", "Never"};
  if (std::ranges::find(kPolicies, policy) == kPolicies.end()) {
    problems.Add(path,
                 base::InvalidValue(base::Quoted(policy),
                                    "the pull policy must be one of Always, IfNotPresent, Never"));
  }
}

void ValidateImageRepository(const std::string& repository, const std::string& path,
                             base::Problems& problems) {
  if (!repository.empty() && !IsImageRepository(repository)) {
    problems.Add(path, base::InvalidValue(base::Quoted(repository),
                                          "it cannot be a part of an image "
                                          "reference"));
  }
}

void ValidateDnsName(const std::string& name, const std::string& path, base::Problems& problems) {
  if (!base::IsDns1123Subdomain(name)) {
    problems.Add(path, base::InvalidValue(base::Quoted(name), std::string(kDnsNameRule)));
  }
}

void ValidateNodeRegistration(const NodeRegistration& node, const std::string& path,
                              base::Problems& problems) {
  if (node.name.empty()) {
    problems.Add(path + ".name", base::RequiredValue("the node needs a name"));
  } else {
    ValidateDnsName(node.name, path + ".name", problems);
  }
  ValidateSocket(node.cri_socket, path + ".criSocket", problems);
  ValidateArgs(node.kubelet_extra_args, path + ".kubeletExtraArgs", problems);
  ValidatePullPolicy(node.image_pull_policy, path + ".imagePullPolicy", problems);
}

}  // namespace config
