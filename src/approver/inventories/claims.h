// SPDX-License-Identifier: Apache-2.0
// Who has which name or address: Nodes by their names and what they write into their status,
// Machines and entries of inventories by theirs.
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

// Claims finds the owners of a name or address in a time that does not grow with their number. Not
// thread-safe.
class Claims {
 public:
  // Owner is who has a name. Two Machines may be one owner's node's.
  struct Owner {
    std::string text;  // for people, unique: "Node a"
    std::string node;  // folded name of the node that it stands for; "": not known yet
    bool is_node = false;
    auto operator<=>(const Owner&) const = default;
  };

  // Put adds what `owner` has; addresses in any text form, names whatever their case.
  void Put(const Owner& owner, const std::vector<std::string>& names);
  void Remove(const Owner& owner, const std::vector<std::string>& names);

  // Others are those besides the node (folded name) that have one of the names.
  std::vector<judgement::Claim> Others(const std::vector<std::string>& names,
                                       const std::string& node) const;

 private:
  std::unordered_map<std::string, std::set<Owner>> owners_;  // by FoldedName or canonical address
};

// OwnerOf and NamesOf are a Machine (or entry) and all that it has.
Claims::Owner OwnerOf(const judgement::Machine& machine);
std::vector<std::string> NamesOf(const std::vector<judgement::Address>& addresses);

// OwnerOf and ClaimsOf are a Node, and its name with the IP addresses of its status. A DNS name
// that it writes there is no claim: it could keep the node of that name from its certificate.
Claims::Owner OwnerOf(const judgement::Node& node);
std::vector<std::string> ClaimsOf(const judgement::Node& node);

}  // namespace inventories
