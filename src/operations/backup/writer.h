// SPDX-License-Identifier: Apache-2.0
// Writing the file of a backup: tar, compressed by zstd, encrypted in the age format.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "age/stream.h"
#include "archive/tar.h"
#include "archive/zstd.h"
#include "backup/storage.h"
#include "pki/sha256_sum.h"

namespace backup {

// Receives the number of bytes processed so far, and the total number of bytes (0: unknown). May be
// empty.
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>;

// Writes a new file, which appears under its name when it is complete. The memory usage does not
// depend on the sizes of the files in the backup. Every function throws base::Error with the kind
// of the system's error.
class Writer {
 public:
  // Without locks the file is not encrypted. `created` is in seconds since 1970.
  Writer(std::unique_ptr<Output> output, const std::optional<age::Locks>& locks,
         std::int64_t created);

  // Adds a whole file.
  void AddFile(const std::string& name, std::string_view content);

  // Adds a file piece by piece, `size` bytes in all.
  void Begin(const std::string& name, std::uint64_t size);
  void Add(std::string_view bytes);
  void End();

  // Adds the checksums of all files and finishes. Returns the size of the file in bytes.
  std::uint64_t Finish();

 private:
  std::int64_t created_;
  std::unique_ptr<Output> output_;
  std::uint64_t written_ = 0;
  base::TakeBytes to_file_;
  std::optional<age::Encryptor> encryptor_;
  base::TakeBytes to_encryptor_;
  archive::Compressor compressor_;
  base::TakeBytes to_compressor_;
  archive::TarWriter tar_;
  std::string name_;                         // of the file that is being written
  std::optional<pki::Sha256Sum> sum_;        // of the file that is being written
  std::map<std::string, std::string> sums_;  // by name, in hexadecimal
};

// Returns the content of SHA256SUMS: a line for each file, as sha256sum prints it.
std::string SumsText(const std::map<std::string, std::string>& sums);

}  // namespace backup
