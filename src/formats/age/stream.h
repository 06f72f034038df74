// SPDX-License-Identifier: Apache-2.0
// Files in the age format, piece by piece: at most two chunks of 64 KiB are in memory. Library pki
// does all cryptography.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "age/header.h"
#include "base/take_bytes.h"
#include "pki/chacha20_poly1305.h"

namespace age {

inline constexpr std::size_t kChunkSize = std::size_t{64} << 10;  // of plaintext

// Encrypts chunks of one file. Internal to this library.
class Chunks {
 public:
  Chunks(std::string_view file_key, std::string_view nonce);
  std::string Seal(std::string_view chunk, bool last);
  // Decrypts a chunk. Returns std::nullopt for a chunk that was changed or moved, or whose flag for
  // the last chunk differs from `last`.
  std::optional<std::string> Open(std::string_view sealed, bool last);

 private:
  std::string Nonce(bool last);
  std::unique_ptr<pki::ChaCha20Poly1305> cipher_;
  std::uint64_t next_ = 0;
};

// Encrypts a new file. Add and End pass the file's bytes to `next`, which must outlive the
// Encryptor.
class Encryptor {
 public:
  // Creates the header and passes it to `next`. Throws the errors of MakeHeader.
  Encryptor(const Locks& locks, const base::TakeBytes& next);
  void Add(std::string_view bytes);
  // Passes the last chunk to `next`. Without it, the file is truncated. Call it once, as the last
  // function.
  void End();

 private:
  const base::TakeBytes& next_;
  std::unique_ptr<Chunks> chunks_;
  std::string rest_;  // a chunk that may be the last one
};

// Decrypts a file. Add and End pass plaintext to `next`: each chunk once it is authenticated, and
// the last chunk only in End. `next` and the keys must outlive the Decryptor.
class Decryptor {
 public:
  Decryptor(const Keys& keys, const base::TakeBytes& next) : keys_(keys), next_(next) {}
  // Decrypts the next bytes of the file. Throws base::Error: kForbidden if no key fits, kInvalid
  // for a malformed or changed file.
  void Add(std::string_view bytes);
  // Decrypts the last chunk. Throws base::Error(kInvalid) if the file is truncated.
  void End();

 private:
  void Open(std::string_view sealed, bool last);

  const Keys& keys_;
  const base::TakeBytes& next_;
  std::unique_ptr<Chunks> chunks_;  // null before the header's end
  std::string rest_;
  bool empty_ = true;  // no chunk was opened yet
};

}  // namespace age
