// SPDX-License-Identifier: Apache-2.0
#include "pki/tpm_credential.h"

#include <fmt/core.h>
#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/rsa.h>

#include <array>

#include "base/error.h"
#include "base/secret_text.h"
#include "pki/crypto.h"
#include "pki/key_derivation.h"
#include "pki/openssl.h"

namespace pki {
namespace {

using base::Error;

constexpr std::string_view kSha256Id("\x00\x0B", 2);  // TPM_ALG_SHA256
constexpr std::size_t kDigestSize = 32;
constexpr std::size_t kAesKeySize = 16;
constexpr unsigned kBitsPerByte = 8;

// Bits of TPMA_OBJECT (Part 2).
constexpr std::uint32_t kFixedTpm = 1U << 1U;
constexpr std::uint32_t kFixedParent = 1U << 4U;
constexpr std::uint32_t kSensitiveDataOrigin = 1U << 5U;
constexpr std::uint32_t kRestricted = 1U << 16U;
constexpr std::uint32_t kDecrypt = 1U << 17U;
constexpr std::uint32_t kSign = 1U << 18U;

std::string BigEndian(std::uint32_t number, std::size_t size) {
  std::string bytes(size, '\0');
  for (std::size_t i = size; i-- > 0; number >>= kBitsPerByte) {
    bytes[i] = static_cast<char>(number & 0xFFU);
  }
  return bytes;
}

std::uint32_t Number(std::string_view bytes) {
  std::uint32_t number = 0;
  for (const char byte : bytes) {
    number = (number << kBitsPerByte) | static_cast<unsigned char>(byte);
  }
  return number;
}

// Returns the bytes with their size before them (TPM2B).
std::string Sized(std::string_view bytes) {
  return BigEndian(static_cast<std::uint32_t>(bytes.size()), 2).append(bytes);
}

// KDFa with SHA-256 and an empty second context, for at most one block (Part 1, "Key Derivation
// Function"; NIST SP 800-108).
std::string Kdfa(std::string_view key, std::string_view label, std::string_view context,
                 std::size_t size) {
  std::string input = BigEndian(1, 4);
  input.append(label).append(1, '\0').append(context);
  input += BigEndian(static_cast<std::uint32_t>(size * kBitsPerByte), 4);
  return HmacSha256(key, input).substr(0, size);
}

std::string AesCfb(std::string_view key, std::string_view plain) {
  const CipherCtxPtr cipher(EVP_CIPHER_CTX_new());
  const std::array<unsigned char, kAesKeySize> no_iv{};
  std::string sealed(plain.size(), '\0');
  int size = 0;
  Check(cipher != nullptr &&
            EVP_EncryptInit_ex2(cipher.get(), EVP_aes_128_cfb128(), Bytes(key), no_iv.data(),
                                nullptr) == 1 &&
            EVP_EncryptUpdate(cipher.get(), Bytes(sealed), &size, Bytes(plain),
                              static_cast<int>(plain.size())) == 1 &&
            size == static_cast<int>(plain.size()),
        "cannot encrypt the credential");
  return sealed;
}

// Encrypts the seed by RSAES-OAEP. The label has the zero byte at its end (Part 1, "Secret
// Sharing").
std::string EncryptSeed(const PublicKey& key, std::string_view seed) {
  constexpr std::string_view kLabel("IDENTITY\0", 9);
  auto* label = static_cast<unsigned char*>(OPENSSL_memdup(kLabel.data(), kLabel.size()));
  const EvpPkeyCtxPtr context(EVP_PKEY_CTX_new_from_pkey(nullptr, key.impl().key.get(), nullptr));
  std::size_t size = 0;
  const bool ready = label != nullptr && context != nullptr &&
                     EVP_PKEY_encrypt_init(context.get()) == 1 &&
                     EVP_PKEY_CTX_set_rsa_padding(context.get(), RSA_PKCS1_OAEP_PADDING) == 1 &&
                     EVP_PKEY_CTX_set_rsa_oaep_md(context.get(), EVP_sha256()) == 1 &&
                     EVP_PKEY_CTX_set_rsa_mgf1_md(context.get(), EVP_sha256()) == 1;
  // Takes over the label if it succeeds.
  const bool labelled = ready && EVP_PKEY_CTX_set0_rsa_oaep_label(
                                     context.get(), label, static_cast<int>(kLabel.size())) == 1;
  if (!labelled) {
    OPENSSL_free(label);
  }
  Check(labelled && EVP_PKEY_encrypt(context.get(), nullptr, &size, Bytes(seed), seed.size()) == 1,
        "cannot encrypt the credential's seed");
  std::string sealed(size, '\0');
  Check(EVP_PKEY_encrypt(context.get(), Bytes(sealed), &size, Bytes(seed), seed.size()) == 1,
        "cannot encrypt the credential's seed");
  sealed.resize(size);
  return sealed;
}

}  // namespace

TpmObject ReadTpmObject(std::string_view tpm2b_public) {
  constexpr std::size_t kHead = 8;  // the type, the hash algorithm of the name, the attributes
  const std::string_view area = tpm2b_public.substr(std::min<std::size_t>(2, tpm2b_public.size()));
  if (area.size() < kHead || Number(tpm2b_public.substr(0, 2)) != area.size()) {
    throw Error(Error::Kind::kInvalid, "a TPM's public area has another size than it says");
  }
  if (area.substr(2, 2) != kSha256Id) {
    throw Error(Error::Kind::kInvalid, "the name of a TPM's object is not a SHA-256 hash");
  }
  return {.attributes = Number(area.substr(4, 4)), .name = std::string(kSha256Id) + Sha256(area)};
}

bool IsAttestationKey(const TpmObject& object) {
  constexpr std::uint32_t kWanted =
      kFixedTpm | kFixedParent | kSensitiveDataOrigin | kRestricted | kSign;
  return (object.attributes & (kWanted | kDecrypt)) == kWanted;
}

TpmCredential ProtectCredential(const PublicKey& endorsement_key, std::string_view object_name,
                                std::string_view secret) {
  if (endorsement_key.AlgorithmText() != "RSA-2048") {
    throw Error(Error::Kind::kInvalid, fmt::format("the endorsement key must be RSA-2048, is {}",
                                                   endorsement_key.AlgorithmText()));
  }
  if (secret.size() > kDigestSize) {
    throw Error(Error::Kind::kInvalid, "a credential's secret has at most 32 bytes");
  }
  const base::SecretText seed(RandomBytes(kDigestSize));
  const base::SecretText key(Kdfa(seed, "STORAGE", object_name, kAesKeySize));
  const base::SecretText mac_key(Kdfa(seed, "INTEGRITY", "", kDigestSize));
  const std::string sealed = AesCfb(key, base::SecretText(Sized(secret)));
  const std::string mac = HmacSha256(mac_key, sealed + std::string(object_name));
  return {.id_object = Sized(mac) + sealed, .encrypted_secret = EncryptSeed(endorsement_key, seed)};
}

std::string CredentialFile(const TpmCredential& credential) {
  constexpr std::string_view kHead("\xBA\xDC\xC0\xDE\0\0\0\1", 8);  // a magic number, a version
  return std::string(kHead) + Sized(credential.id_object) + Sized(credential.encrypted_secret);
}

}  // namespace pki
