// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/anchors.h"

#include <algorithm>

#include "base/strings.h"
#include "pki/certificate.h"
#include "pki/crypto.h"

namespace ca_rotation {
namespace {

// Splits a text into its PEM blocks.
std::vector<std::string> Blocks(std::string_view pem) {
  constexpr std::string_view kBegin = "-----BEGIN ";
  std::vector<std::string> blocks;
  for (std::size_t at = pem.find(kBegin); at != std::string_view::npos;) {
    const std::size_t next = pem.find(kBegin, at + 1);
    blocks.emplace_back(pem.substr(at, next - at));
    at = next;
  }
  return blocks;
}

}  // namespace

std::string PinOf(const pki::PublicKey& key) {
  return "sha256:" + base::HexEncode(pki::Sha256(key.Der()));
}

std::vector<Anchor> ParseAnchors(std::string_view pem) {
  std::vector<Anchor> anchors;
  for (const std::string& block : Blocks(pem)) {
    if (block.starts_with("-----BEGIN PUBLIC KEY-----")) {
      const pki::PublicKey key = pki::PublicKey::FromPem(block);
      anchors.push_back({.pin = PinOf(key), .pem = key.Pem()});
    } else if (block.starts_with("-----BEGIN CERTIFICATE-----")) {
      const pki::Certificate certificate = pki::Certificate::FromPem(block);
      anchors.push_back({.pin = pki::Pin(certificate), .pem = certificate.Pem()});
    }
  }
  return anchors;
}

std::string PemOf(const std::vector<Anchor>& anchors) {
  std::string pem;
  for (const Anchor& anchor : anchors) {
    pem += anchor.pem;
  }
  return pem;
}

const Anchor* FindPin(const std::vector<Anchor>& anchors, std::string_view pin) {
  const auto found = std::ranges::find(anchors, pin, &Anchor::pin);
  return found == anchors.end() ? nullptr : &*found;
}

std::string WithoutAnchor(const std::string& pem, std::string_view pin) {
  std::vector<Anchor> anchors = ParseAnchors(pem);
  return std::erase_if(anchors, [&](const Anchor& anchor) { return anchor.pin == pin; }) == 0
             ? pem
             : PemOf(anchors);
}

}  // namespace ca_rotation
