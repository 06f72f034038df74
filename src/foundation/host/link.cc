// SPDX-License-Identifier: Apache-2.0
#include "host/link.h"

#include <fmt/core.h>

#include <system_error>

#include "base/error.h"

namespace host {

void ReplaceByLink(Files& files, const fs::path& path, const fs::path& target) {
  const fs::path real = files.Location(path);
  fs::path fresh = real;
  fresh += ".slipway-link";
  std::error_code code;
  fs::remove(fresh, code);  // of a run that was killed
  fs::create_symlink(target, fresh, code);
  if (!code) {
    fs::rename(fresh, real, code);
  }
  if (code) {
    throw base::Error(fmt::format("could not make the link {} to {}: {}", real.string(),
                                  target.string(), code.message()));
  }
}

}  // namespace host
