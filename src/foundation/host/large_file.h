// SPDX-License-Identifier: Apache-2.0
// Reading a file that is too large for memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "host/descriptor.h"
#include "host/files.h"

namespace host {

// An open plain file, read from its beginning. Links are followed. Every failure throws base::Error
// naming the path, with the kind of the system's error. Throws base::Error(kInvalid) if the path is
// not a plain file.
class LargeFile {
 public:
  static constexpr std::size_t kPiece = std::size_t{256} << 10;  // bytes

  LargeFile(const Files& files, const fs::path& path);
  std::uint64_t size() const { return size_; }
  // Returns the next bytes, at most kPiece, valid until the next call; "" at the end.
  std::string_view Read();

 private:
  fs::path path_;
  Descriptor fd_;
  std::uint64_t size_ = 0;
  std::string piece_;
};

}  // namespace host
