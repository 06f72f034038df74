// SPDX-License-Identifier: Apache-2.0
#include "pki/openssl.h"

#include <fmt/core.h>
#include <openssl/core_names.h>
#include <openssl/err.h>

#include <algorithm>
#include <array>
#include <string>

namespace pki {

void FailOpenSsl(base::Error::Kind kind, std::string_view what) {
  std::string message(what);
  if (const char* reason = ERR_reason_error_string(ERR_peek_last_error())) {
    message += ": ";
    message += reason;
  }
  ERR_clear_error();
  throw base::Error(kind, std::move(message));
}

namespace {

// PemBlock owns what PEM_read_bio_ex hands out; key bytes are wiped.
struct PemBlock {
  char* label = nullptr;
  char* header = nullptr;
  unsigned char* data = nullptr;
  long size = 0;

  PemBlock() = default;
  PemBlock(const PemBlock&) = delete;
  PemBlock& operator=(const PemBlock&) = delete;
  ~PemBlock() {
    OPENSSL_secure_free(label);
    OPENSSL_secure_free(header);
    OPENSSL_secure_clear_free(data, static_cast<std::size_t>(size));
  }
  bool IsPlain() const { return *header == '\0'; }
};

enum class ReadResult { kBlock, kDamaged, kEnd };

// A byte order mark, which OpenSSL skips, makes the first line another one than BEGIN for Go,
// whose reading counts: the API server and etcd read the same files.
std::string_view WithoutMarkedLine(std::string_view pem) {
  if (pem.starts_with("\xEF\xBB\xBF")) {
    pem.remove_prefix(std::min(pem.find('\n'), pem.size()));
  }
  return pem;
}

ReadResult ReadBlock(BIO* bio, PemBlock& block) {
  // Without PEM_FLAG_SECURE the line that was read last stays behind when its buffer is freed.
  if (PEM_read_bio_ex(bio, &block.label, &block.header, &block.data, &block.size,
                      PEM_FLAG_EAY_COMPATIBLE | PEM_FLAG_SECURE) == 1) {
    return ReadResult::kBlock;
  }
  const bool at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  ERR_clear_error();
  return at_end ? ReadResult::kEnd : ReadResult::kDamaged;  // each call takes at least one line
}

}  // namespace

void ForEachPemBlock(std::string_view pem, const VisitBlock& visit) {
  if (pem.size() > kLongestPem) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} MiB of text are more than the {} MiB that are read as PEM",
                                  pem.size() >> 20, kLongestPem >> 20));
  }
  pem = WithoutMarkedLine(pem);
  const BioPtr bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  Check(bio != nullptr, "cannot read a PEM text");
  while (true) {
    PemBlock block;
    const ReadResult result = ReadBlock(bio.get(), block);
    if (result == ReadResult::kEnd) {
      return;
    }
    const std::string_view der(reinterpret_cast<const char*>(block.data),
                               static_cast<std::size_t>(block.size));
    if (result == ReadResult::kBlock && block.IsPlain() && !visit(block.label, der)) {
      return;
    }
  }
}

namespace {

// "" where it has none.
std::string TextOf(const EVP_PKEY* key, const char* parameter) {
  std::array<char, 64> text{};
  std::size_t size = 0;
  const bool has =
      EVP_PKEY_get_utf8_string_param(key, parameter, text.data(), text.size(), &size) == 1;
  ERR_clear_error();
  return has ? std::string(text.data(), size) : "";
}

// The curves of Go's crypto/elliptic, by their names (RFC 5480 §2.1.1): parameters that are spelled
// out are those of one of them for OpenSSL, but not for Go.
bool HasCurveOfGo(const EVP_PKEY* key) {
  constexpr std::array<std::string_view, 4> kCurves{"secp224r1", "prime256v1", "secp384r1",
                                                    "secp521r1"};
  return std::ranges::find(kCurves, TextOf(key, OSSL_PKEY_PARAM_GROUP_NAME)) != kCurves.end() &&
         TextOf(key, OSSL_PKEY_PARAM_EC_ENCODING) == OSSL_PKEY_EC_ENCODING_GROUP;
}

}  // namespace

std::string WritePem(const std::function<int(BIO*)>& write) {
  const BioPtr bio(BIO_new(BIO_s_secmem()));
  Check(bio != nullptr && write(bio.get()) == 1, "cannot write a PEM text");
  char* data = nullptr;
  const long size = BIO_get_mem_data(bio.get(), &data);
  return {data, static_cast<std::size_t>(size)};
}

bool IsSupportedKey(const EVP_PKEY* key) {
  return EVP_PKEY_is_a(key, "RSA") == 1 || (EVP_PKEY_is_a(key, "EC") == 1 && HasCurveOfGo(key));
}

const EVP_MD* SignatureDigest(const EVP_PKEY* key) {
  if (EVP_PKEY_is_a(key, "EC") != 1 || EVP_PKEY_get_bits(key) <= 256) {
    return EVP_sha256();
  }
  return EVP_PKEY_get_bits(key) <= 384 ? EVP_sha384() : EVP_sha512();
}

}  // namespace pki
