// SPDX-License-Identifier: Apache-2.0
// The inventory `dns`: the addresses that DNS has for a node.
#pragma once

#include <chrono>
#include <optional>
#include <stop_token>
#include <string>

#include "host/clock.h"
#include "inventories/options.h"
#include "judgement/facts.h"
#include "judgement/machines.h"

namespace inventories {

// Looks up NODE.DOMAIN (dns::FindAddresses). Returns an entry with the names NODE and NODE.DOMAIN
// and the addresses. Returns std::nullopt if DNS has no such host, or the node's name is not a
// host's name. Throws the errors of dns::FindAddresses if the lookup fails, and base::Interrupted
// on a stop request. Thread-safe.
std::optional<judgement::Machine> FindDnsHost(const DnsInventory& inventory,
                                              const std::string& node,
                                              std::chrono::milliseconds timeout,
                                              const host::Clock& clock,
                                              const std::stop_token& stop);

// With the inventory `dns`, looks up the node and appends its entry to the machines that own the
// node in `facts`. An unknown host has no entry. A failed lookup is a problem of the machines, so
// that the request stays pending. Returns the entry, which must outlive the facts; null without an
// entry. Throws base::Interrupted on a stop request.
judgement::MachinePtr AddDnsHost(const InventoryOptions& options, const std::string& node,
                                 judgement::Facts& facts, const host::Clock& clock,
                                 const std::stop_token& stop);

}  // namespace inventories
