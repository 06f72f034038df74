// SPDX-License-Identifier: Apache-2.0
#include "host/plain_file.h"

#include <fmt/core.h>

#include <string_view>
#include <system_error>

#include "base/error.h"

namespace host {
namespace {

std::string_view NameOf(fs::file_type type) {
  switch (type) {
    case fs::file_type::directory:
      return "directory";
    case fs::file_type::fifo:
      return "pipe";
    case fs::file_type::socket:
      return "socket";
    default:
      return "device";
  }
}

}  // namespace

void RequirePlainFile(const Files& files, const fs::path& path, std::size_t largest) {
  const fs::path real = files.Location(path);
  std::error_code ignored;
  const fs::file_type type = fs::status(real, ignored).type();
  if (type == fs::file_type::none || type == fs::file_type::not_found) {
    return;
  }
  if (type != fs::file_type::regular) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} is a {}, no file", real.string(), NameOf(type)));
  }
  const std::uintmax_t size = fs::file_size(real, ignored);
  if (!ignored && size > largest) {
    throw base::Error(base::Error::Kind::kInvalid,
                      fmt::format("{} has {} bytes, more than the {} that it may have",
                                  real.string(), size, largest));
  }
}

}  // namespace host
