// SPDX-License-Identifier: Apache-2.0
#include "net/unix_endpoint.h"

#include <fmt/format.h>
#include <sys/un.h>

#include "base/strings.h"
#include "net/url.h"

namespace net {
namespace {

constexpr std::string_view kScheme = "unix";
constexpr std::size_t kLongestPath = sizeof(sockaddr_un::sun_path) - 1;

// Adds the scheme to an endpoint without one, as kubeadm does.
std::expected<Url, std::string> ReadEndpoint(std::string_view endpoint) {
  return Url::Parse(endpoint.starts_with(kScheme) ? std::string(endpoint)
                                                  : fmt::format("unix://{}", endpoint));
}

std::string Spelling(std::string_view path) {
  return base::Quoted(fmt::format("unix:///{}", path.substr(path.find_first_not_of('/'))));
}

std::unexpected<std::string> Refuse(std::string_view why) {
  return std::unexpected(
      fmt::format("{}: write \"unix:///PATH\" with the path of the runtime's socket", why));
}

}  // namespace

std::expected<std::string, std::string> UnixSocketPath(std::string_view endpoint) {
  const auto url = ReadEndpoint(endpoint);
  if (!url) {
    return Refuse(url.error());
  }
  const std::string host = base::ToLower(url->host);
  // Kubernetes' programs ignore the host of an endpoint. Any other host would therefore be
  // misleading.
  const bool has_host = !host.empty() && host != kScheme && host != "localhost";
  if (url->scheme != kScheme && host.empty() && url->path.starts_with('/')) {
    return std::unexpected(
        fmt::format("its scheme is not \"unix\": write {}", Spelling(url->path)));
  }
  if (url->scheme != kScheme || (has_host && url->path.starts_with("//"))) {
    return Refuse("a container runtime is reached by a Unix socket only");
  }
  if (url->path.find_first_not_of('/') == std::string::npos) {
    return url->target.find_first_not_of('/') == std::string::npos
               ? Refuse("it names no path")
               : std::unexpected(fmt::format("it names no path: write {}", Spelling(url->target)));
  }
  if (has_host) {
    return std::unexpected(fmt::format(
        "{} is read as a host, and the socket as {}: write {}, or {} if that is meant",
        base::Quoted(url->host), url->path, Spelling(url->host + url->path), Spelling(url->path)));
  }
  if (url->path.ends_with('/')) {
    return std::unexpected(
        fmt::format("it names a directory: write {}",
                    Spelling(url->path.substr(0, url->path.find_last_not_of('/') + 1))));
  }
  if (url->path.size() > kLongestPath) {
    return std::unexpected(
        fmt::format("the path of a Unix socket has at most {} bytes, this one has {}: let the "
                    "runtime listen at a shorter one",
                    kLongestPath, url->path.size()));
  }
  return url->path;
}

}  // namespace net
