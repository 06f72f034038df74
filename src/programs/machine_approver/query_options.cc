// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/query_options.h"

#include <fmt/core.h>

#include <algorithm>
#include <chrono>
#include <string>

#include "base/error.h"
#include "base/strings.h"
#include "net/host_port.h"
#include "net/ip_address.h"
#include "net/url.h"

namespace machine_approver {
namespace {

using base::Error;
using cli::Flag;
using cli::FlagType;

constexpr std::chrono::seconds kShortestRefresh{1};
constexpr std::chrono::minutes kLongestQuery{1};

bool Has(const std::vector<std::string>& list, std::string_view what) {
  return std::ranges::find(list, what) != list.end();
}

std::chrono::milliseconds Milliseconds(const cli::Parsed& flags, std::string_view name) {
  return std::chrono::duration_cast<std::chrono::milliseconds>(flags.Duration(name));
}

void RequireTogether(const std::vector<std::string>& names, const std::string& inventory,
                     const std::string& flag, const std::string& value) {
  if (Has(names, inventory) == value.empty()) {
    throw Error(Error::Kind::kUsage,
                fmt::format("the inventory `{}` and --{} belong together", inventory, flag));
  }
}

void RequireAbsolute(const std::string& flag, const std::string& path) {
  if (!path.empty() && !path.starts_with('/')) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--{} must be an absolute path, is {}", flag, base::Quoted(path)));
  }
}

inventories::HttpInventory EndpointOf(const cli::Parsed& flags) {
  inventories::HttpInventory endpoint{.url = flags.Text("inventory-http-url"),
                                      .ca_file = flags.Text("inventory-http-ca"),
                                      .credentials = flags.Text("inventory-http-credentials")};
  const auto url = net::Url::Parse(endpoint.url);
  if (!url || url->scheme != "https" || url->host.empty() || url->user) {
    throw Error(Error::Kind::kUsage,
                "--inventory-http-url must be an https URL without user and password");
  }
  if (endpoint.ca_file.empty()) {
    throw Error(Error::Kind::kUsage,
                "--inventory-http-url needs --inventory-http-ca: only the endpoint's own CA is "
                "trusted");
  }
  return endpoint;
}

constexpr std::string_view kDnsPort = "53";

net::HostPort ServerIn(const std::string& text) {
  auto server = net::IpAddress::Parse(text)
                    ? std::expected<net::HostPort, std::string>(
                          net::HostPort{.host = text, .port = std::string(kDnsPort)})
                    : net::HostPort::Parse(text);
  if (!server || !net::IpAddress::Parse(server->host) || !server->PortNumber()) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--inventory-dns-servers must be IP addresses, each with or without a "
                            "port, not {}",
                            base::Quoted(text)));
  }
  return *std::move(server);
}

inventories::DnsInventory DnsOf(const cli::Parsed& flags) {
  inventories::DnsInventory dns{.domain = flags.Text("inventory-dns-domain"), .servers = {}};
  if (!base::IsDns1123Subdomain(dns.domain) ||
      !std::ranges::all_of(base::Split(dns.domain, '.'), base::IsDns1123Label)) {
    throw Error(Error::Kind::kUsage,
                fmt::format("--inventory-dns-domain must be a domain such as int.example.com, is "
                            "{}",
                            base::Quoted(dns.domain)));
  }
  for (const std::string& text : flags.List("inventory-dns-servers")) {
    dns.servers.push_back(ServerIn(text));
  }
  if (dns.servers.empty()) {
    throw Error(Error::Kind::kUsage,
                "the inventory `dns` needs --inventory-dns-servers: the name servers that you "
                "trust");
  }
  return dns;
}

}  // namespace

std::vector<Flag> QueryFlags() {
  return {{.name = "inventory-http-url",
           .help = "The https URL of the inventory `http`.",
           .value_name = "url"},
          {.name = "inventory-http-ca",
           .help = "The file of the only CAs that the endpoint's certificate may be of.",
           .value_name = "file"},
          {.name = "inventory-http-credentials",
           .help = "The directory, such as a mounted Secret, with tls.crt and tls.key (a client "
                   "certificate), token (a bearer token), or both.",
           .value_name = "directory"},
          {.name = "inventory-exec",
           .help = "The program of the inventory `exec`: an absolute path.",
           .value_name = "file"},
          {.name = "inventory-exec-args",
           .type = FlagType::kList,
           .help = "Its arguments. Other users of the host can see them: no secrets.",
           .value_name = "argument,..."},
          {.name = "inventory-dns-domain",
           .help = "The domain of the inventory `dns`: a node has the addresses of NODE.DOMAIN.",
           .value_name = "domain"},
          {.name = "inventory-dns-servers",
           .type = FlagType::kList,
           .help = "Its name servers: IP addresses, with another port than 53 as ADDRESS:PORT.",
           .value_name = "address,..."},
          {.name = "inventory-refresh",
           .type = FlagType::kDuration,
           .default_text = "30s",
           .help = "The pause between two queries of `http` and `exec`."},
          {.name = "inventory-timeout",
           .type = FlagType::kDuration,
           .default_text = "10s",
           .help = "The time limit of one query of `http`, `exec` and `dns`, at most 1m."}};
}

void SetQueries(const cli::Parsed& flags, inventories::InventoryOptions& options) {
  const std::vector<std::string>& names = flags.List("inventory");
  const std::string& program = flags.Text("inventory-exec");
  RequireTogether(names, "http", "inventory-http-url", flags.Text("inventory-http-url"));
  RequireTogether(names, "exec", "inventory-exec", program);
  RequireTogether(names, "dns", "inventory-dns-domain", flags.Text("inventory-dns-domain"));
  for (const char* flag : {"inventory-exec", "inventory-http-ca", "inventory-http-credentials"}) {
    RequireAbsolute(flag, flags.Text(flag));
  }
  if (Has(names, "http")) {
    options.http = EndpointOf(flags);
  }
  if (Has(names, "exec")) {
    const std::vector<std::string>& arguments = flags.List("inventory-exec-args");
    options.exec = {program};
    options.exec.insert(options.exec.end(), arguments.begin(), arguments.end());
  }
  if (Has(names, "dns")) {
    if (Has(names, "nodes")) {
      throw Error(Error::Kind::kUsage,
                  "the inventories `dns` and `nodes` exclude each other: a Node could attest what "
                  "DNS has for another host");
    }
    options.dns = DnsOf(flags);
  }
  options.refresh = Milliseconds(flags, "inventory-refresh");
  options.query_timeout = Milliseconds(flags, "inventory-timeout");
  if (options.refresh < kShortestRefresh) {
    throw Error(Error::Kind::kInvalid, "--inventory-refresh must be at least 1s");
  }
  if (options.query_timeout.count() <= 0 || options.query_timeout > kLongestQuery) {
    throw Error(Error::Kind::kInvalid, "--inventory-timeout must be 1ms to 1m");
  }
}

}  // namespace machine_approver
