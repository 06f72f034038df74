// SPDX-License-Identifier: Apache-2.0
#include "inventories/dns_host.h"

#include <fmt/core.h>

#include <memory>
#include <utility>

#include "base/error.h"
#include "dns/find_addresses.h"

namespace inventories {

using judgement::Machine;
using judgement::MachinePtr;
using judgement::Source;

std::optional<Machine> FindDnsHost(const DnsInventory& inventory, const std::string& node,
                                   std::chrono::milliseconds timeout, const host::Clock& clock,
                                   const std::stop_token& stop) {
  const std::string name = node + "." + inventory.domain;
  if (!dns::IsHostName(node) || !dns::IsHostName(name)) {
    return std::nullopt;
  }
  const auto addresses =
      dns::FindAddresses({.servers = inventory.servers, .timeout = timeout}, name, clock, stop);
  if (!addresses) {
    return std::nullopt;
  }
  Machine entry{
      .source = Source::kDns, .api_group = {}, .name = node, .node_ref = {}, .is_entry = true};
  for (const net::IpAddress& address : *addresses) {
    entry.addresses.push_back({.type = "InternalIP", .address = address.Text()});
  }
  entry.addresses.push_back({.type = "Hostname", .address = name});
  entry.addresses.push_back({.type = "InternalDNS", .address = node});
  return entry;
}

MachinePtr AddDnsHost(const InventoryOptions& options, const std::string& node,
                      judgement::Facts& facts, const host::Clock& clock,
                      const std::stop_token& stop) {
  if (!options.dns) {
    return nullptr;
  }
  try {
    auto found = FindDnsHost(*options.dns, node, options.query_timeout, clock, stop);
    if (!found) {
      return nullptr;
    }
    MachinePtr entry = std::make_shared<const Machine>(*std::move(found));
    facts.named.push_back(entry.get());
    facts.owning.push_back(entry.get());
    return entry;
  } catch (const base::Error& error) {
    facts.machines_problem = fmt::format("inventory {}: {}", NameOf(Source::kDns), error.message());
    return nullptr;
  }
}

}  // namespace inventories
