// SPDX-License-Identifier: Apache-2.0
#include "host/large_file.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.h"

namespace host {

LargeFile::LargeFile(const Files& files, const fs::path& path)
    : path_(files.Location(path)),
      // A pipe without a writer would block.
      fd_(::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)),
      piece_(kPiece, '\0') {
  struct stat info{};
  if (!fd_.valid() || ::fstat(fd_.get(), &info) != 0) {
    throw SystemError(fmt::format("cannot read {}", path_.string()), errno);
  }
  if (!S_ISREG(info.st_mode)) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} is not a plain file", path_.string()));
  }
  size_ = static_cast<std::uint64_t>(info.st_size);
}

std::string_view LargeFile::Read() {
  ssize_t count = -1;
  do {
    count = ::read(fd_.get(), piece_.data(), piece_.size());
  } while (count < 0 && errno == EINTR);
  if (count < 0) {
    throw SystemError(fmt::format("cannot read {}", path_.string()), errno);
  }
  return std::string_view(piece_).substr(0, static_cast<std::size_t>(count));
}

}  // namespace host
