// SPDX-License-Identifier: Apache-2.0
#include "host/mount_id.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <fstream>
#include <optional>
#include <string>

namespace host {
namespace {

std::optional<std::uint64_t> FromProc(int fd) {
  std::ifstream info(fmt::format("/proc/self/fdinfo/{}", fd));
  std::string name;
  std::uint64_t value = 0;
  while (info >> name) {
    if (name == "mnt_id:" && info >> value) {
      return value;
    }
  }
  return std::nullopt;
}

}  // namespace

MountId MountOf(int fd) {
  struct statx found{};
  if (::statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &found) != 0) {
    return {};
  }
  // An emulator that does not know the field reports it as present with value 0.
  const bool told = (found.stx_mask & STATX_MNT_ID) != 0U && found.stx_mnt_id != 0;
  const std::optional<std::uint64_t> mount =
      told ? std::optional(std::uint64_t{found.stx_mnt_id}) : FromProc(fd);
  return {.device = (std::uint64_t{found.stx_dev_major} << 32U) | found.stx_dev_minor,
          .mount = mount.value_or(0),
          .known = mount.has_value()};
}

}  // namespace host
