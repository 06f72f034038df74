// SPDX-License-Identifier: Apache-2.0
#include "node_input/config_facts.h"

#include <fmt/core.h>

#include <chrono>

#include "base/error.h"
#include "base/strings.h"
#include "http/client.h"
#include "node_input/running_runtimes.h"

namespace node_input {
namespace {

config::NetworkFacts NetworkOf(const host::Host& host) {
  config::NetworkFacts facts;
  for (const host::Interface& interface : host.network.Interfaces()) {
    facts.interfaces.push_back({.name = interface.name,
                                .up = interface.up,
                                .loopback = interface.loopback,
                                .addresses = interface.addresses});
  }
  for (const host::DefaultRoute& route : host.network.DefaultRoutes()) {
    facts.default_routes.push_back({.interface = route.interface, .ipv6 = route.ipv6});
  }
  return facts;
}

// A version has a few characters. The limit is needed because the server is authenticated only by a
// public CA.
constexpr std::size_t kLongestVersion = 1024;

// Fails immediately without a default route, because a wait would be pointless.
std::string Fetch(const host::Host& host, const std::string& url) {
  if (host.network.DefaultRoutes().empty()) {
    throw base::Error(base::Error::Kind::kUnavailable, "this machine has no route to " + url);
  }
  const http::Response response = http::Client().Do(
      {.url = url, .connect_timeout = std::chrono::seconds(3), .largest_body = kLongestVersion});
  if (response.status != 200) {
    throw base::Error(base::Error::Kind::kUnavailable,
                      fmt::format("{} answered with status {}", url, response.status));
  }
  return std::string(base::Trim(response.body));
}

}  // namespace

config::Facts CollectFacts(host::Host& host) {
  return {.hostname = host.machine.Hostname(),
          .network = [&host] { return NetworkOf(host); },
          .cri_sockets = [&host] { return RunningRuntimes(host.network); },
          .random = [&host](std::size_t count) { return host.random.Bytes(count); },
          .fetch = [&host](const std::string& url) { return Fetch(host, url); },
          .file_exists = [&host](const std::string& path) { return host.files.Exists(path); }};
}

config::Source ReadSource(const host::Host& host, const std::string& path) {
  return base::WithContext("couldn't read the configuration", [&]() -> config::Source {
    return {.text = host.files.Read(path), .name = path};
  });
}

}  // namespace node_input
