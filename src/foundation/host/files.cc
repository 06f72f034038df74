// SPDX-License-Identifier: Apache-2.0
#include "host/files.h"

#include <fmt/core.h>

#include "base/error.h"

namespace host {

std::string Files::Read(const fs::path& path) const {
  std::optional<std::string> content = Find(path);
  if (!content) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("{}: no such file", Location(path).string()));
  }
  return *std::move(content);
}

}  // namespace host
