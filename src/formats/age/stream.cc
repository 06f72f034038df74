// SPDX-License-Identifier: Apache-2.0
#include "age/stream.h"

#include "base/error.h"
#include "base/secret_text.h"
#include "pki/key_derivation.h"

namespace age {
namespace {

using base::Error;
using pki::ChaCha20Poly1305;

constexpr std::size_t kNonceSize = 16;  // of the payload
constexpr std::size_t kSealedSize = kChunkSize + ChaCha20Poly1305::kTagSize;

}  // namespace

Chunks::Chunks(std::string_view file_key, std::string_view nonce) {
  const base::SecretText key(pki::HkdfSha256(file_key, {.salt = nonce, .info = "payload"}));
  cipher_ = std::make_unique<ChaCha20Poly1305>(key);
}

// Returns the nonce of the next chunk: a counter of 11 bytes (big-endian), and the flag for the
// last chunk.
std::string Chunks::Nonce(bool last) {
  std::string nonce(ChaCha20Poly1305::kNonceSize, '\0');
  std::uint64_t number = next_++;
  for (std::size_t i = nonce.size() - 1; i-- > 0; number >>= 8U) {
    nonce[i] = static_cast<char>(number & 0xffU);
  }
  nonce.back() = last ? '\x01' : '\0';
  return nonce;
}

std::string Chunks::Seal(std::string_view chunk, bool last) {
  return cipher_->Seal(Nonce(last), chunk);
}

std::optional<std::string> Chunks::Open(std::string_view sealed, bool last) {
  return cipher_->Open(Nonce(last), sealed);
}

Encryptor::Encryptor(const Locks& locks, const base::TakeBytes& next) : next_(next) {
  const base::SecretText file_key(pki::RandomBytes(kFileKeySize));
  const std::string nonce = pki::RandomBytes(kNonceSize);
  chunks_ = std::make_unique<Chunks>(file_key, nonce);
  next_(MakeHeader(locks, file_key));
  next_(nonce);
}

void Encryptor::Add(std::string_view bytes) {
  while (!bytes.empty()) {
    if (rest_.size() == kChunkSize) {
      next_(chunks_->Seal(rest_, false));
      base::Wipe(rest_);
    }
    const std::string_view part = bytes.substr(0, kChunkSize - rest_.size());
    rest_ += part;
    bytes.remove_prefix(part.size());
  }
}

void Encryptor::End() {
  next_(chunks_->Seal(rest_, true));
  base::Wipe(rest_);
}

void Decryptor::Open(std::string_view sealed, bool last) {
  std::optional<std::string> chunk = chunks_->Open(sealed, last);
  if (!chunk) {
    throw Error(Error::Kind::kInvalid, last ? "the encrypted file is truncated or was changed"
                                            : "the encrypted file was changed");
  }
  if (last && chunk->empty() && !empty_) {
    throw Error(Error::Kind::kInvalid, "the encrypted file was changed: its last part is empty");
  }
  empty_ = false;
  const base::Wiper wiper(*chunk);
  if (!chunk->empty()) {
    next_(*chunk);
  }
}

void Decryptor::Add(std::string_view bytes) {
  rest_ += bytes;
  if (!chunks_) {
    const std::optional<Header> header = ParseHeader(rest_);
    if (!header || rest_.size() < header->size + kNonceSize) {
      return;
    }
    const base::SecretText file_key(OpenHeader(*header, rest_, keys_));
    chunks_ = std::make_unique<Chunks>(file_key, rest_.substr(header->size, kNonceSize));
    rest_.erase(0, header->size + kNonceSize);
  }
  std::size_t read = 0;
  // not the last chunk, because more bytes follow
  for (; rest_.size() - read > kSealedSize; read += kSealedSize) {
    Open(std::string_view(rest_).substr(read, kSealedSize), false);
  }
  rest_.erase(0, read);
}

void Decryptor::End() {
  if (!chunks_) {
    throw Error(Error::Kind::kInvalid, "the encrypted file is truncated in its header");
  }
  Open(rest_, true);
  rest_.clear();
}

}  // namespace age
