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

// NodeNameOf is what follows "system:node:"; nothing when the text does not begin so, or ends
// there.
std::optional<std::string> NodeNameOf(std::string_view user);

// FoldedName is a name in lower case (ASCII only) without one trailing dot: equal for equal names.
std::string FoldedName(std::string_view name);

// SameName compares two folded names; an empty one equals nothing.
bool SameName(std::string_view a, std::string_view b);

// SameIp compares addresses by value; `canonical` is canonical text, `written` any text.
bool SameIp(std::string_view canonical, std::string_view written);

// SameMultiset compares lists in which order does not count but repetition does.
bool SameMultiset(std::vector<std::string> a, std::vector<std::string> b);

// Holds tells whether the network vouches for the address. One of length 0 (of all IPv4 or all IPv6
// addresses) holds nothing: it would vouch for everybody.
bool Holds(const net::Cidr& network, const net::IpAddress& address);

// IsPathSegment: a name that can stand in a URL's path as it is.
bool IsPathSegment(std::string_view name);

bool Contains(std::span<const std::string> list, std::string_view text);

}  // namespace judgement
