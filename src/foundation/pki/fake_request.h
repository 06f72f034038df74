// SPDX-License-Identifier: Apache-2.0
// Certificate signing requests for tests, including malformed ones.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace pki {

// Returns tag, length and content.
std::string DerOf(std::uint8_t tag, std::string_view content);

// OIDs as content octets.
inline constexpr std::string_view kFakeCommonName = "\x55\x04\x03";
inline constexpr std::string_view kFakeOrganization = "\x55\x04\x0A";
inline constexpr std::string_view kFakeExtensionRequest = "\x2A\x86\x48\x86\xF7\x0D\x01\x09\x0E";

struct FakeAttribute {
  std::string_view oid;
  std::string value;
  std::uint8_t tag = 0x0C;  // UTF8String
};

enum class FakeKey {
  kP256,
  kP224,
  kP384,
  kP521,
  kEd25519,
  kRsa1024,
  kRsa2048,
  kMlDsa44,
  kMlDsa65,
  kMlDsa87
};

enum class FakeDigest { kSha256, kSha1, kMd5 };

struct FakeRequestSpec {
  std::vector<FakeAttribute> subject = {{kFakeOrganization, "system:nodes"},
                                        {kFakeCommonName, "system:node:panda"}};
  // Alternative names: the tag (0x82 DNS, 0x87 IP, 0x81 mail, 0x86 URI, …) and the content.
  std::vector<std::pair<std::uint8_t, std::string>> names = {};
  std::string more_extensions = {};    // Extension values, DER, after the names
  std::string more_attributes = {};    // Attribute values, DER, after the extension request
  bool more_attributes_first = false;  // puts more_attributes first; DER may require this order
  FakeKey key = FakeKey::kP256;
  FakeDigest digest = FakeDigest::kSha256;  // for RSA and ECDSA signatures; MD5 for RSA only
  std::string version = std::string(1, '\0');
  bool break_signature = false;
  bool has_attributes = true;  // the list of attributes is mandatory, but may be empty
};

// FakeRequestDer and …Pem create the request and sign it. Keys are generated once per process.
std::string FakeRequestDer(const FakeRequestSpec& spec);
std::string FakeRequestPem(const FakeRequestSpec& spec);
std::string PemOf(std::string_view label, std::string_view der);

}  // namespace pki
