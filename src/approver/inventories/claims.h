// SPDX-License-Identifier: Apache-2.0
// The owners of names and addresses. A Node owns its name and the addresses of its status; a
// Machine or an entry of an inventory owns the names and addresses that it lists.
#pragma once

#include <compare>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "evidence/decode.h"
#include "judgement/facts.h"

namespace inventories {

// Finds the owners of a name or address in constant time. Not thread-safe.
class Claims {
 public:
  // An object that owns names. Two Machines of the same node are different owners.
  struct Owner {
    std::string text;  // for humans, unique: "Node a"
    std::string node;  // folded name of its node; "": unknown yet
    bool is_node = false;
    auto operator<=>(const Owner&) const = default;
  };

  // Adds claims of `owner`. Addresses may have any notation, and names any case.
  void Put(const Owner& owner, const std::vector<std::string>& names);
  void Remove(const Owner& owner, const std::vector<std::string>& names);

  // Returns the claims on the names by owners that do not belong to `node`, a folded name.
  std::vector<judgement::Claim> Others(const std::vector<std::string>& names,
                                       const std::string& node) const;

 private:
  std::unordered_map<std::string, std::set<Owner>> owners_;  // by FoldedName or canonical address
};

// OwnerOf returns the owner for a Machine or an entry. NamesOf returns the names and addresses that
// the Machine or entry claims.
Claims::Owner OwnerOf(const judgement::Machine& machine);
std::vector<std::string> NamesOf(const std::vector<judgement::Address>& addresses);

// OwnerOf returns the owner for a Node. ClaimsOf returns the Node's name and the IP addresses in
// its status. DNS names in the status are not claims, because a Node could otherwise block another
// node's certificate.
Claims::Owner OwnerOf(const judgement::Node& node);
std::vector<std::string> ClaimsOf(const judgement::Node& node);

}  // namespace inventories
