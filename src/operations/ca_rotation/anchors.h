// SPDX-License-Identifier: Apache-2.0
// Trust anchors of a rotation: CA certificates or public keys, in PEM form.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pki/key.h"

namespace ca_rotation {

// A CA's certificate, or a public key for service account tokens.
struct Anchor {
  std::string pin;  // of its public key (pki::Pin)
  std::string pem;
  bool operator==(const Anchor&) const = default;
};

// Returns the pin of a public key: "sha256:" and its hash, as pki::Pin returns it for a
// certificate.
std::string PinOf(const pki::PublicKey& key);

// Parses all certificates and public keys of a PEM text. Throws base::Error(kInvalid) if the text
// is malformed.
std::vector<Anchor> ParseAnchors(std::string_view pem);

// Returns the PEM text of all anchors, in their order.
std::string PemOf(const std::vector<Anchor>& anchors);

// Returns the anchor with the pin, or nullptr. `anchors` must outlive the result.
const Anchor* FindPin(const std::vector<Anchor>& anchors, std::string_view pin);

// Returns the PEM text without the anchor with that pin.
std::string WithoutAnchor(const std::string& pem, std::string_view pin);

}  // namespace ca_rotation
