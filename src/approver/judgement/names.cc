// SPDX-License-Identifier: Apache-2.0
#include "judgement/names.h"

#include <algorithm>

namespace judgement {

std::optional<std::string> NodeNameOf(std::string_view user) {
  if (!user.starts_with(kNodeUserPrefix) || user.size() == kNodeUserPrefix.size()) {
    return std::nullopt;
  }
  return std::string(user.substr(kNodeUserPrefix.size()));
}

std::string FoldedName(std::string_view name) {
  if (name.ends_with('.')) {
    name.remove_suffix(1);
  }
  std::string folded(name);
  for (char& c : folded) {
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  }
  return folded;
}

bool SameName(std::string_view a, std::string_view b) {
  // Folds the names like FoldedName, but without allocations, because an attacker's request can
  // cause hundreds of comparisons.
  const auto bare = [](std::string_view name) {
    return name.substr(0, name.size() - (name.ends_with('.') ? 1 : 0));
  };
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return !bare(a).empty() && std::ranges::equal(bare(a), bare(b), {}, lower, lower);
}

bool SameIp(std::string_view canonical, std::string_view written) {
  if (canonical == written) {
    return true;
  }
  const auto address = net::IpAddress::Parse(written);
  return address && address->Text() == canonical;
}

bool SameMultiset(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

bool Holds(const net::Cidr& network, const net::IpAddress& address) {
  return network.PrefixLength() > 0 && network.Contains(address);
}

bool IsIn(std::string_view ip, std::span<const net::Cidr> networks) {
  const auto address = net::IpAddress::Parse(ip);
  return address && std::ranges::any_of(
                        networks, [&](const net::Cidr& cidr) { return Holds(cidr, *address); });
}

bool IsPathSegment(std::string_view name) {
  return name != "." && name != ".." && name.find_first_of("/%") == std::string_view::npos;
}

bool Contains(std::span<const std::string> list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

}  // namespace judgement
