// SPDX-License-Identifier: Apache-2.0
#include "pki/fake_request.h"

#include <map>
#include <stdexcept>

#include "base/strings.h"
#include "pki/openssl.h"

namespace pki {
namespace {

using MdCtxPtr = std::unique_ptr<EVP_MD_CTX, Deleter<EVP_MD_CTX_free>>;

EvpPkeyPtr Generate(FakeKey kind) {
  switch (kind) {
    case FakeKey::kP256:
      return EvpPkeyPtr(EVP_EC_gen("P-256"));
    case FakeKey::kP224:
      return EvpPkeyPtr(EVP_EC_gen("P-224"));
    case FakeKey::kP384:
      return EvpPkeyPtr(EVP_EC_gen("P-384"));
    case FakeKey::kP521:
      return EvpPkeyPtr(EVP_EC_gen("P-521"));
    case FakeKey::kEd25519:
      return EvpPkeyPtr(EVP_PKEY_Q_keygen(nullptr, nullptr, "ED25519"));
    case FakeKey::kRsa1024:
      return EvpPkeyPtr(EVP_RSA_gen(1024));
    case FakeKey::kRsa2048:
      return EvpPkeyPtr(EVP_RSA_gen(2048));
    case FakeKey::kMlDsa44:
      return EvpPkeyPtr(EVP_PKEY_Q_keygen(nullptr, nullptr, "ML-DSA-44"));
    case FakeKey::kMlDsa65:
      return EvpPkeyPtr(EVP_PKEY_Q_keygen(nullptr, nullptr, "ML-DSA-65"));
    case FakeKey::kMlDsa87:
      return EvpPkeyPtr(EVP_PKEY_Q_keygen(nullptr, nullptr, "ML-DSA-87"));
  }
  return nullptr;
}

EVP_PKEY* KeyOf(FakeKey kind) {
  static std::map<FakeKey, EvpPkeyPtr> keys;
  EvpPkeyPtr& key = keys[kind];
  if (key == nullptr) {
    key = Generate(kind);
  }
  return key.get();
}

std::string PublicDer(EVP_PKEY* key) {
  unsigned char* out = nullptr;
  const int size = i2d_PUBKEY(key, &out);
  const BytesPtr owner(out);
  return {reinterpret_cast<const char*>(out), static_cast<std::size_t>(size)};
}

// Returns the AlgorithmIdentifier of a signature by the key.
std::string AlgorithmOf(EVP_PKEY* key, FakeDigest digest) {
  if (EVP_PKEY_is_a(key, "EC") == 1) {
    return DerOf(0x30,
                 DerOf(0x06, digest == FakeDigest::kSha1 ? "\x2A\x86\x48\xCE\x3D\x04\x01"
                                                         : "\x2A\x86\x48\xCE\x3D\x04\x03\x02"));
  }
  if (EVP_PKEY_is_a(key, "RSA") == 1) {
    const char last = digest == FakeDigest::kSha1  ? '\x05'
                      : digest == FakeDigest::kMd5 ? '\x04'
                                                   : '\x0B';
    return DerOf(0x30, DerOf(0x06, std::string("\x2A\x86\x48\x86\xF7\x0D\x01\x01") + last) +
                           DerOf(0x05, ""));
  }
  if (IsMlDsa(key)) {
    const std::string_view name = EVP_PKEY_get0_type_name(key);
    const char last = name == "ML-DSA-44" ? '\x11' : name == "ML-DSA-65" ? '\x12' : '\x13';
    return DerOf(0x30, DerOf(0x06, std::string("\x60\x86\x48\x01\x65\x03\x04\x03") + last));
  }
  return DerOf(0x30, DerOf(0x06, "\x2B\x65\x70"));
}

const EVP_MD* DigestOf(EVP_PKEY* key, FakeDigest digest) {
  if (EVP_PKEY_is_a(key, "ED25519") == 1 || IsMlDsa(key)) {
    return nullptr;
  }
  return digest == FakeDigest::kSha1  ? EVP_sha1()
         : digest == FakeDigest::kMd5 ? EVP_md5()
                                      : EVP_sha256();
}

std::string SignatureOf(EVP_PKEY* key, const EVP_MD* digest, std::string_view text) {
  const MdCtxPtr context(EVP_MD_CTX_new());
  const auto* bytes = reinterpret_cast<const unsigned char*>(text.data());
  std::size_t size = 0;
  if (EVP_DigestSignInit(context.get(), nullptr, digest, nullptr, key) != 1 ||
      EVP_DigestSign(context.get(), nullptr, &size, bytes, text.size()) != 1) {
    throw std::runtime_error("cannot sign");
  }
  std::string signature(size, '\0');
  if (EVP_DigestSign(context.get(), reinterpret_cast<unsigned char*>(signature.data()), &size,
                     bytes, text.size()) != 1) {
    throw std::runtime_error("cannot sign");
  }
  signature.resize(size);
  return signature;
}

std::string AttributesOf(const FakeRequestSpec& spec) {
  std::string extensions;
  if (!spec.names.empty()) {
    std::string names;
    for (const auto& [tag, content] : spec.names) {
      names += DerOf(tag, content);
    }
    extensions = DerOf(0x30, DerOf(0x06, "\x55\x1D\x11") + DerOf(0x04, DerOf(0x30, names)));
  }
  extensions += spec.more_extensions;
  std::string attributes;
  if (!extensions.empty()) {
    attributes =
        DerOf(0x30, DerOf(0x06, kFakeExtensionRequest) + DerOf(0x31, DerOf(0x30, extensions)));
  }
  // DER orders the elements of a set by their encodings.
  return DerOf(0xA0, spec.more_attributes_first ? spec.more_attributes + attributes
                                                : attributes + spec.more_attributes);
}

}  // namespace

std::string DerOf(std::uint8_t tag, std::string_view content) {
  std::string out(1, static_cast<char>(tag));
  const std::size_t size = content.size();
  if (size < 0x80) {
    out += static_cast<char>(size);
  } else if (size < 0x100) {
    out += {'\x81', static_cast<char>(size)};
  } else if (size < 0x10000) {
    out += {'\x82', static_cast<char>(size >> 8U), static_cast<char>(size)};
  } else {
    out += {'\x83', static_cast<char>(size >> 16U), static_cast<char>(size >> 8U),
            static_cast<char>(size)};
  }
  out += content;
  return out;
}

std::string FakeRequestDer(const FakeRequestSpec& spec) {
  EVP_PKEY* key = KeyOf(spec.key);
  std::string subject;
  for (const FakeAttribute& attribute : spec.subject) {
    subject += DerOf(
        0x31, DerOf(0x30, DerOf(0x06, attribute.oid) + DerOf(attribute.tag, attribute.value)));
  }
  const std::string info =
      DerOf(0x30, DerOf(0x02, spec.version) + DerOf(0x30, subject) + PublicDer(key) +
                      (spec.has_attributes ? AttributesOf(spec) : ""));
  std::string signature = SignatureOf(key, DigestOf(key, spec.digest), info);
  if (spec.break_signature) {
    signature.back() = static_cast<char>(signature.back() ^ 1);
  }
  return DerOf(
      0x30, info + AlgorithmOf(key, spec.digest) + DerOf(0x03, std::string(1, '\0') + signature));
}

std::string PemOf(std::string_view label, std::string_view der) {
  const std::string text = base::Base64Encode(der);
  std::string out = "-----BEGIN " + std::string(label) + "-----\n";
  for (std::size_t i = 0; i < text.size(); i += 64) {
    out += text.substr(i, 64) + "\n";
  }
  return out + "-----END " + std::string(label) + "-----\n";
}

std::string FakeRequestPem(const FakeRequestSpec& spec) {
  return PemOf("CERTIFICATE REQUEST", FakeRequestDer(spec));
}

}  // namespace pki
