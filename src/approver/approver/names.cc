#include "approver/names.h"

#include <algorithm>
#include <optional>

#include "base/number.h"
#include "base/strings.h"
#include "pki/request.h"

namespace approver {
namespace {

constexpr std::size_t kMappedBits = 96;

struct Range {
  std::string bytes;  // 16, host bits zero
  std::size_t bits;   // of 128
};

std::optional<Range> ParseCidr(std::string_view text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string_view::npos) {
    return {};
  }
  auto bytes = pki::IpBytes(text.substr(0, slash));
  auto bits = base::ParseNumber<std::size_t>(text.substr(slash + 1));
  const bool ipv4 = text.substr(0, slash).find(':') == std::string_view::npos;
  if (!bytes || !bits || *bits > (ipv4 ? 32 : 128)) {
    return {};
  }
  Range range{.bytes = *bytes, .bits = *bits + (ipv4 ? kMappedBits : 0)};
  for (std::size_t i = 0; i < 16; ++i) {
    const std::size_t kept = std::min<std::size_t>(8, range.bits > i * 8 ? range.bits - i * 8 : 0);
    range.bytes[i] =
        static_cast<char>(static_cast<unsigned char>(range.bytes[i]) & (0xFF00U >> kept & 0xFFU));
  }
  return range;
}

bool IsMapped(std::string_view bytes) {
  return bytes.starts_with(std::string_view("\0\0\0\0\0\0\0\0\0\0\xFF\xFF", 12));
}

bool SamePrefix(std::string_view a, std::string_view b, std::size_t bits) {
  const std::size_t whole = bits / 8;
  if (a.substr(0, whole) != b.substr(0, whole)) {
    return false;
  }
  const unsigned mask = 0xFF00U >> (bits % 8) & 0xFFU;
  return bits % 8 == 0 ||
         ((static_cast<unsigned char>(a[whole]) ^ static_cast<unsigned char>(b[whole])) & mask) ==
             0;
}

}  // namespace

std::string NodeNameOf(std::string_view user) {
  return std::string(user.starts_with(kNodeUserPrefix) ? user.substr(kNodeUserPrefix.size()) : "");
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
  // As FoldedName, but without texts of its own: strangers have hundreds of names compared.
  const auto bare = [](std::string_view name) {
    return name.substr(0, name.size() - (name.ends_with('.') ? 1 : 0));
  };
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; };
  return !bare(a).empty() && std::ranges::equal(bare(a), bare(b), {}, lower, lower);
}

bool SameIp(std::string_view canonical, std::string_view written) {
  return canonical == written || pki::ParseIp(written) == std::string(canonical);
}

bool SameMultiset(std::vector<std::string> a, std::vector<std::string> b) {
  std::ranges::sort(a);
  std::ranges::sort(b);
  return a == b;
}

CidrVerdict InCidr(std::string_view canonical_ip, std::string_view cidr) {
  const std::optional<Range> range = ParseCidr(cidr);
  if (!range) {
    return CidrVerdict::kNoCidr;
  }
  const std::optional<std::string> ip = pki::IpBytes(canonical_ip);
  const bool mapped = range->bits >= kMappedBits && IsMapped(range->bytes);
  const bool everything = range->bits == 0 || (mapped && range->bits == kMappedBits);
  if (!ip || everything || IsMapped(*ip) != mapped) {
    return CidrVerdict::kOutside;
  }
  return SamePrefix(*ip, range->bytes, range->bits) ? CidrVerdict::kInside : CidrVerdict::kOutside;
}

bool IsPathSegment(std::string_view name) {
  return name != "." && name != ".." && name.find_first_of("/%") == std::string_view::npos;
}

bool Contains(std::span<const std::string> list, std::string_view text) {
  return std::ranges::find(list, text) != list.end();
}

}  // namespace approver
