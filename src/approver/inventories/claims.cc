// SPDX-License-Identifier: Apache-2.0
#include "inventories/claims.h"

#include <fmt/core.h>

#include "judgement/names.h"
#include "net/ip_address.h"

namespace inventories {
namespace {

using judgement::Address;
using judgement::Claim;
using judgement::FoldedName;
using judgement::Machine;
using judgement::Node;

// Returns a key that is equal for equal names, and for all spellings of one address.
std::string KeyOf(const std::string& name) {
  const auto address = net::IpAddress::Parse(name);
  return address ? address->Text() : FoldedName(name);
}

}  // namespace

void Claims::Put(const Owner& owner, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (const std::string key = KeyOf(name); !key.empty()) {
      owners_[key].insert(owner);
    }
  }
}

void Claims::Remove(const Owner& owner, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    const auto found = owners_.find(KeyOf(name));
    if (found != owners_.end() && found->second.erase(owner) > 0 && found->second.empty()) {
      owners_.erase(found);
    }
  }
}

std::vector<Claim> Claims::Others(const std::vector<std::string>& names,
                                  const std::string& node) const {
  std::vector<Claim> others;
  for (const std::string& name : names) {
    const auto found = owners_.find(KeyOf(name));
    if (found == owners_.end()) {
      continue;
    }
    for (const Owner& owner : found->second) {
      if (owner.node != node) {
        others.push_back({.name = name, .by = owner.text, .by_node = owner.is_node});
      }
    }
  }
  return others;
}

Claims::Owner OwnerOf(const Machine& machine) {
  const std::string node = machine.is_entry ? machine.name : machine.node_ref.value_or("");
  return {.text = fmt::format("{} {}{}{}", machine.SourceName(), machine.name_space,
                              machine.name_space.empty() ? "" : "/", machine.name),
          .node = FoldedName(node)};
}

Claims::Owner OwnerOf(const Node& node) {
  return {.text = "Node " + node.name, .node = FoldedName(node.name), .is_node = true};
}

std::vector<std::string> ClaimsOf(const Node& node) {
  std::vector<std::string> claims{node.name};
  for (const Address& address : node.addresses) {
    if (net::IpAddress::Parse(address.address)) {
      claims.push_back(address.address);
    }
  }
  return claims;
}

std::vector<std::string> NamesOf(const std::vector<Address>& addresses) {
  std::vector<std::string> names;
  for (const Address& address : addresses) {
    names.push_back(address.address);
  }
  return names;
}

}  // namespace inventories
