// SPDX-License-Identifier: Apache-2.0
// Discovers a cluster as a joining machine does: `discovery_driver ENDPOINT [PIN...]`, the token on
// standard input. Prints the kubeconfig; an error is {"kind": …, "message": …} and exit status 1.
// Progress messages go to standard error.
#include <iostream>

#include "base/error.h"
#include "discovery/discover.h"
#include "host/host.h"
#include "json/value.h"

namespace {

constexpr std::pair<base::Error::Kind, const char*> kKinds[] = {
    {base::Error::Kind::kInvalid, "invalid"},
    {base::Error::Kind::kNotFound, "not found"},
    {base::Error::Kind::kForbidden, "forbidden"},
    {base::Error::Kind::kUnauthorized, "unauthorized"},
    {base::Error::Kind::kTimeout, "timeout"},
};

std::string NameOf(base::Error::Kind kind) {
  for (const auto& [row, name] : kKinds) {
    if (row == kind) {
      return name;
    }
  }
  return "other";
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  config::JoinConfiguration join;
  auto& way = join.discovery.bootstrap_token.emplace();
  std::cin >> way.token;
  join.discovery.tls_bootstrap_token = way.token;
  way.api_server_endpoint = words.at(0);
  way.ca_cert_hashes.assign(words.begin() + 1, words.end());
  try {
    host::RealHost machine;
    std::cout << discovery::Discover(
                     machine.host,
                     {.config = join,
                      .timeout = std::chrono::seconds(85),
                      .progress = [](const std::string& text) { std::cerr << text << std::endl; }})
                     .Text();
    return 0;
  } catch (const base::Error& error) {
    std::cout << json::Compact(
        json::Value{{"kind", NameOf(error.kind())}, {"message", error.message()}});
    return 1;
  }
}
