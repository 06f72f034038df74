// SPDX-License-Identifier: Apache-2.0
// Finds and replaces an address as a whole word in texts of humans and programs. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "net/ip_address.h"
#include "pki/certificate.h"

namespace readdress {

// The node's old and new address, both of one family.
struct Move {
  net::IpAddress from;
  net::IpAddress to;
};

// Returns the numbers of the lines, from 1, with the address in any form ("fd00::1" is
// "fd00:0::1"). A longer word that contains it ("110.0.0.1", "10.0.0.1.example.org",
// "node-10.0.0.1") does not count.
std::vector<int> Lines(std::string_view text, const net::IpAddress& address);

// Returns the text with every occurrence replaced by the new address, in its canonical form.
std::string Replaced(std::string_view text, const Move& move);

// A text within an object: "data.kubeconfig.conf", and its line.
struct Place {
  std::string field;
  int line = 1;
  bool operator==(const Place&) const = default;
};
// Places returns those of the address in an object's values, and in the keys of objects in them;
// Replaced replaces it in the values.
std::vector<Place> Places(const json::Value& object, const net::IpAddress& address);
json::Value Replaced(json::Value object, const Move& move);

// Names returns whether the certificate is valid for the address; Replaced returns names with the
// new one in place of the old one, each once.
bool Names(const pki::SubjectAltNames& names, const net::IpAddress& address);
pki::SubjectAltNames Replaced(const pki::SubjectAltNames& names, const Move& move);

}  // namespace readdress
