// SPDX-License-Identifier: Apache-2.0
// Trust anchors of a rotation: certificates of authorities, or public keys, as in PEM files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pki/key.h"

namespace ca_rotation {

// A CA's certificate, or a public key of service account tokens.
struct Anchor {
  std::string pin;  // of its public key (pki::Pin)
  std::string pem;
  bool operator==(const Anchor&) const = default;
};

// Returns "sha256:" and the hash of a public key, like pki::Pin for a certificate's.
std::string PinOf(const pki::PublicKey& key);

// Parses the whole text. Throws base::Error(kInvalid) for a malformed one.
std::vector<Anchor> ParseAnchors(std::string_view pem);

// Returns the PEM text of all anchors, in their order.
std::string PemOf(const std::vector<Anchor>& anchors);

// Returns the anchor with that pin; nullptr without one.
const Anchor* FindPin(const std::vector<Anchor>& anchors, std::string_view pin);

// Returns the PEM text without the anchor with that pin.
std::string WithoutAnchor(const std::string& pem, std::string_view pin);

}  // namespace ca_rotation
