// SPDX-License-Identifier: Apache-2.0
#include "judgement/name_rules.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <vector>

#include "base/strings.h"
#include "net/cidr.h"

namespace judgement {
namespace {

struct RangeRow {
  net::Cidr cidr;
  std::string_view what;
};

// ::/96 contains ::, ::1 and the IPv4-compatible addresses. ::1 does not get this far: it is
// recognized as a loopback address first.
const std::array<RangeRow, 7>& ForbiddenRanges() {
  const auto range = [](std::string_view text) { return *net::Cidr::Parse(text); };
  static const std::array<RangeRow, 7> kRows = {
      {{range("0.0.0.0/8"), "unspecified"},
       {range("255.255.255.255/32"), "broadcast"},
       {range("224.0.0.0/4"), "multicast"},
       {range("ff00::/8"), "multicast"},
       {range("169.254.0.0/16"), "link-local"},
       {range("fe80::/10"), "link-local"},
       {range("::/96"), "unspecified or IPv4-compatible"}}};
  return kRows;
}

// Names of loopback addresses in the /etc/hosts of distributions and of Pods.
constexpr std::array<std::string_view, 5> kOwnNames = {"localhost", "localhost4", "localhost6",
                                                       "ip6-localhost", "ip6-loopback"};

// Returns true for a decimal number, or a hexadecimal number with 0x. Old parsers (inet_aton) and
// URLs read such a last label as part of an IPv4 address.
bool IsNumber(std::string_view label) {
  const bool hex = label.starts_with("0x");
  const std::string_view digits = hex ? label.substr(2) : label;
  return (hex || !digits.empty()) &&
         digits.find_first_not_of(hex ? "0123456789abcdef" : "0123456789") ==
             std::string_view::npos;
}

std::string WithoutTrailingDots(std::string_view name) {
  while (name.ends_with('.')) {
    name.remove_suffix(1);
  }
  return base::ToLower(name);
}

}  // namespace

std::optional<std::string> ForbiddenName(std::string_view dns) {
  const std::string name = WithoutTrailingDots(dns);
  const std::vector<std::string> labels = base::Split(name, '.');
  if (name.find('*') != std::string::npos) {
    return "a wildcard stands for other machines' names";
  }
  if (labels.front() == "kubernetes") {
    return "it is a name of the API server";
  }
  if (std::find(labels.begin() + 1, labels.end(), "svc") != labels.end()) {
    return "it is the name of a service";
  }
  if (std::ranges::find(kOwnNames, labels.front()) != kOwnNames.end() ||
      labels.back() == "localhost") {
    return "every machine calls itself so";
  }
  if (IsNumber(labels.back()) || net::IpAddress::Parse(name)) {
    return "programs read it as an IP address";
  }
  return {};
}

std::optional<std::string> ForbiddenAddress(const net::IpAddress& ip) {
  if (ip.IsLoopback()) {
    return {};
  }
  for (const RangeRow& row : ForbiddenRanges()) {
    if (row.cidr.Contains(ip)) {
      return fmt::format("the address is {} ({})", row.what, row.cidr.Text());
    }
  }
  return {};
}

}  // namespace judgement
