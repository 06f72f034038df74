// SPDX-License-Identifier: Apache-2.0
#include "host/files.h"

#include <fmt/core.h>

#include "base/error.h"

namespace host {

bool IsSecret(const WriteOptions& options) { return (options.mode & 077U) == 0U; }

unsigned SecretMode(unsigned previous, bool with_group) {
  return (previous & (with_group ? 0640U : 0600U)) | 0400U;
}

std::string Files::Read(const fs::path& path) const {
  std::optional<std::string> content = Find(path);
  if (!content) {
    throw base::Error(base::Error::Kind::kNotFound,
                      fmt::format("{}: no such file", Location(path).string()));
  }
  return *std::move(content);
}

}  // namespace host
