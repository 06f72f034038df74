// SPDX-License-Identifier: Apache-2.0
// Pure functions that find and replace an IP address as a whole word in texts.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "net/ip_address.h"
#include "pki/certificate.h"

namespace readdress {

// The old and the new address of a node, both of one family.
struct Move {
  net::IpAddress from;
  net::IpAddress to;
};

// Returns the numbers (from 1) of the lines that contain the address in any notation: "fd00::1" is
// equal to "fd00:0::1". Longer words that contain the address do not count: "110.0.0.1",
// "10.0.0.1.example.org", "node-10.0.0.1".
std::vector<int> Lines(std::string_view text, const net::IpAddress& address);

// Returns the text with the old address replaced by the new address, in canonical form.
std::string Replaced(std::string_view text, const Move& move);

// A line of a string value within an object.
struct Line {
  std::string field;
  int line = 1;
  bool operator==(const Line&) const = default;
};
// Places returns the occurrences of the address in an object's values, and in the keys of nested
// objects. Replaced replaces the address, but only in values.
std::vector<Line> Places(const json::Value& object, const net::IpAddress& address);
json::Value Replaced(json::Value object, const Move& move);

// Names returns whether a certificate with these alternative names is valid for the address.
// Replaced replaces the old address by the new address, and returns each name once.
bool Names(const pki::SubjectAltNames& names, const net::IpAddress& address);
pki::SubjectAltNames Replaced(const pki::SubjectAltNames& names, const Move& move);

}  // namespace readdress
