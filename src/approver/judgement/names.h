// SPDX-License-Identifier: Apache-2.0
// Comparing names and addresses.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "net/cidr.h"

namespace judgement {

inline constexpr std::string_view kNodeUserPrefix = "system:node:";
inline constexpr std::string_view kNodesGroup = "system:nodes";

// Returns the part after "system:node:". Returns std::nullopt if the string has no such prefix, or
// no character after it.
std::optional<std::string> NodeNameOf(std::string_view user);

// Returns a name in lower case (ASCII only) without one trailing dot, so that equal names become
// equal strings.
std::string FoldedName(std::string_view name);

// Compares two folded names. An empty name equals no name.
bool SameName(std::string_view a, std::string_view b);

// Compares addresses by value. `canonical` is canonical; `written` may have any spelling.
bool SameIp(std::string_view canonical, std::string_view written);

// Compares lists in any order. An element must occur equally often in both.
bool SameMultiset(std::vector<std::string> a, std::vector<std::string> b);

// Returns whether the network contains the address. Returns false for a network of length 0 (all
// IPv4 or all IPv6 addresses), because it would attest every node.
bool Holds(const net::Cidr& network, const net::IpAddress& address);

// Returns whether one of the networks contains the address. Returns false for a malformed address.
bool IsIn(std::string_view ip, std::span<const net::Cidr> networks);

// Returns whether a name can be part of a URL's path unchanged.
bool IsPathSegment(std::string_view name);

bool Contains(std::span<const std::string> list, std::string_view text);

}  // namespace judgement
