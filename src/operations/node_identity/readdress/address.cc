// SPDX-License-Identifier: Apache-2.0
#include "node_identity/readdress/address.h"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace readdress {
namespace {

constexpr std::string_view kIpv4Characters = "0123456789.";
constexpr std::string_view kIpv6Characters = "0123456789abcdefABCDEF:.";

// Returns true for letters, digits and characters that join the parts of a name. Next to such a
// character, an address is only a part of a longer word.
bool IsOfAName(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '-' ||
         character == '_';
}

// A range of a text.
struct Found {
  std::size_t begin;
  std::size_t size;
};

bool IsAlone(std::string_view text, const Found& found) {
  const std::size_t end = found.begin + found.size;
  return (found.begin == 0 || !IsOfAName(text[found.begin - 1])) &&
         (end == text.size() || !IsOfAName(text[end]));
}

// Returns the length of the word without its final dots, because an address may end a sentence.
std::size_t WithoutFinalDots(std::string_view word) {
  const std::size_t last = word.find_last_not_of('.');
  return last == std::string_view::npos ? 0 : last + 1;
}

std::vector<Found> Find(std::string_view text, const net::IpAddress& address) {
  const std::string_view characters = address.IsIpv4() ? kIpv4Characters : kIpv6Characters;
  std::vector<Found> all;
  std::size_t begin = text.find_first_of(characters);
  while (begin != std::string_view::npos) {
    const std::size_t end = std::min(text.find_first_not_of(characters, begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    const Found found{.begin = begin, .size = WithoutFinalDots(word)};
    const bool goes_on = found.size < word.size() && end < text.size() && IsOfAName(text[end]);
    if (!goes_on && IsAlone(text, found) &&
        net::IpAddress::Parse(text.substr(begin, found.size)) == address) {
      all.push_back(found);
    }
    begin = text.find_first_of(characters, end);
  }
  return all;
}

void AddPlaces(const std::string& path, const json::Value& value, const net::IpAddress& address,
               std::vector<Line>& places) {
  if (value.is_string()) {
    for (const int line : Lines(value.get_ref<const std::string&>(), address)) {
      places.push_back({.field = path, .line = line});
    }
  } else if (value.is_array()) {
    for (std::size_t i = 0; i < value.size(); ++i) {
      AddPlaces(fmt::format("{}[{}]", path, i), value[i], address, places);
    }
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) {
      const std::string below = path.empty() ? name : fmt::format("{}.{}", path, name);
      if (!Find(name, address).empty()) {
        places.push_back({.field = below});
      }
      AddPlaces(below, member, address, places);
    }
  }
}

}  // namespace

std::vector<int> Lines(std::string_view text, const net::IpAddress& address) {
  std::vector<int> lines;
  for (const Found& found : Find(text, address)) {
    const auto line = static_cast<int>(std::ranges::count(text.substr(0, found.begin), '\n')) + 1;
    if (lines.empty() || lines.back() != line) {
      lines.push_back(line);
    }
  }
  return lines;
}

std::string Replaced(std::string_view text, const Move& move) {
  std::string replaced;
  std::size_t done = 0;
  for (const Found& found : Find(text, move.from)) {
    replaced += text.substr(done, found.begin - done);
    replaced += move.to.Text();
    done = found.begin + found.size;
  }
  return replaced.append(text.substr(done));
}

std::vector<Line> Places(const json::Value& object, const net::IpAddress& address) {
  std::vector<Line> places;
  AddPlaces("", object, address, places);
  return places;
}

json::Value Replaced(json::Value object, const Move& move) {
  if (object.is_string()) {
    return Replaced(std::string_view(object.get_ref<const std::string&>()), move);
  }
  if (object.is_structured()) {
    for (json::Value& member : object) {
      member = Replaced(std::move(member), move);
    }
  }
  return object;
}

bool Names(const pki::SubjectAltNames& names, const net::IpAddress& address) {
  return std::ranges::any_of(names.ip_addresses, [&](const std::string& text) {
    return net::IpAddress::Parse(text) == address;
  });
}

pki::SubjectAltNames Replaced(const pki::SubjectAltNames& names, const Move& move) {
  pki::SubjectAltNames replaced{.dns_names = names.dns_names};
  for (const std::string& text : names.ip_addresses) {
    std::string next = net::IpAddress::Parse(text) == move.from ? move.to.Text() : text;
    if (!std::ranges::contains(replaced.ip_addresses, next)) {
      replaced.ip_addresses.push_back(std::move(next));
    }
  }
  return replaced;
}

}  // namespace readdress
