// SPDX-License-Identifier: Apache-2.0
// An address in texts that people and programs wrote: found wherever it stands as an address of its
// own, and replaced. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "json/value.h"
#include "net/ip_address.h"
#include "pki/certificate.h"

namespace readdress {

// Move is the node's address, as it was and as it is to be, both of one family.
struct Move {
  net::IpAddress from;
  net::IpAddress to;
};

// Lines are the numbers of the lines, from 1, in which the address stands, in whatever form it is
// written ("fd00::1" is "fd00:0::1"). What it is a part of ("110.0.0.1", "10.0.0.1.example.org",
// "node-10.0.0.1") is another thing.
std::vector<int> Lines(std::string_view text, const net::IpAddress& address);

// Replaced is the text with the new address, in its canonical form, wherever the old one stood.
std::string Replaced(std::string_view text, const Move& move);

// Place is a text within an object: "data.kubeconfig.conf", and its line.
struct Place {
  std::string field;
  int line = 1;
  bool operator==(const Place&) const = default;
};
// Places are those of the address in an object's values, and in the keys of objects in them;
// Replaced replaces it in the values.
std::vector<Place> Places(const json::Value& object, const net::IpAddress& address);
json::Value Replaced(json::Value object, const Move& move);

// Names tells whether the certificate is valid for the address; Replaced are names with the new one
// in the old one's place, each once.
bool Names(const pki::SubjectAltNames& names, const net::IpAddress& address);
pki::SubjectAltNames Replaced(const pki::SubjectAltNames& names, const Move& move);

}  // namespace readdress
