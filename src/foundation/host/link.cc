// SPDX-License-Identifier: Apache-2.0
#include "host/link.h"

#include <fmt/core.h>

#include <cerrno>
#include <cstdio>
#include <string>

#include "host/place.h"

namespace host {

std::optional<fs::path> FindLinkTarget(const Files& files, const fs::path& path) {
  std::error_code failed;
  fs::path target = fs::read_symlink(files.Location(path), failed);
  return failed ? std::nullopt : std::optional(std::move(target));
}

void ReplaceByLink(Files& files, const fs::path& path, const fs::path& target) {
  const Place place = RequirePlace(files, path, {.verb = "make the link"});
  const int directory = place.directory.get();
  const std::string fresh = place.name + ".slipway-link";
  ::unlinkat(directory, fresh.c_str(), 0);  // left by a killed run
  if (::symlinkat(target.c_str(), directory, fresh.c_str()) != 0 ||
      ::renameat(directory, fresh.c_str(), directory, place.name.c_str()) != 0) {
    throw SystemError(
        fmt::format("could not make the link {} to {}", place.path.string(), target.string()),
        errno);
  }
}

}  // namespace host
