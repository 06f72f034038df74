// SPDX-License-Identifier: Apache-2.0
// What is trusted in a rotation: certificates of authorities, or public keys, as PEM texts hold
// them.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pki/key.h"

namespace ca_rotation {

// Anchor is a CA's certificate, or a public key of service account tokens.
struct Anchor {
  std::string pin;  // of its public key (pki::Pin)
  std::string pem;
  bool operator==(const Anchor&) const = default;
};

// PinOf is "sha256:" and the hash of a public key, as pki::Pin is for a certificate's.
std::string PinOf(const pki::PublicKey& key);

// ParseAnchors reads all of a text. Throws base::Error(kInvalid) for one that cannot be read.
std::vector<Anchor> ParseAnchors(std::string_view pem);

// PemOf is the text of all of them, in their order.
std::string PemOf(const std::vector<Anchor>& anchors);

// FindPin is the anchor of that pin; nullptr when there is none.
const Anchor* FindPin(const std::vector<Anchor>& anchors, std::string_view pin);

// WithoutAnchor is a PEM text without the anchor of that pin.
std::string WithoutAnchor(const std::string& pem, std::string_view pin);

}  // namespace ca_rotation
