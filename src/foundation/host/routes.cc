// SPDX-License-Identifier: Apache-2.0
#include "host/routes.h"

#include <net/route.h>

#include <charconv>
#include <optional>
#include <string>

#include "base/strings.h"

namespace host {
namespace {

std::optional<unsigned> Hex(std::string_view text) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, 16);
  if (error != std::errc() || end != text.data() + text.size()) {
    return std::nullopt;
  }
  return value;
}

bool IsUsable(std::string_view flags) {
  const std::optional<unsigned> bits = Hex(flags);
  return bits && (*bits & RTF_UP) != 0U && (*bits & RTF_REJECT) == 0U;
}

bool IsZero(std::string_view digits) {
  return !digits.empty() && digits.find_first_not_of('0') == std::string_view::npos;
}

}  // namespace

std::vector<DefaultRoute> ParseDefaultRoutes(std::string_view ipv4, std::string_view ipv6) {
  std::vector<DefaultRoute> routes;
  for (const std::string& line : base::Lines(ipv4)) {
    // Iface Destination Gateway Flags RefCnt Use Metric Mask …
    const std::vector<std::string> f = base::Fields(line);
    if (f.size() >= 8 && IsZero(f[1]) && IsZero(f[7]) && IsUsable(f[3])) {
      routes.push_back({.interface = f[0]});
    }
  }
  for (const std::string& line : base::Lines(ipv6)) {
    // destination length source length next-hop metric references use flags device
    const std::vector<std::string> f = base::Fields(line);
    if (f.size() >= 10 && IsZero(f[0]) && IsZero(f[1]) && IsUsable(f[8]) && f[9] != "lo") {
      routes.push_back({.interface = f[9], .ipv6 = true});
    }
  }
  return routes;
}

}  // namespace host
