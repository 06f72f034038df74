// SPDX-License-Identifier: Apache-2.0
#include "host/mounts.h"

#include <fmt/core.h>
#include <sys/mount.h>

#include <array>
#include <cerrno>
#include <sstream>
#include <system_error>

#include "base/error.h"
#include "host/files.h"

namespace host {
namespace {

struct FlagRow {
  std::string_view name;
  int flag;
};
constexpr std::array<FlagRow, 4> kFlags{{{"MNT_FORCE", MNT_FORCE},
                                         {"MNT_DETACH", MNT_DETACH},
                                         {"MNT_EXPIRE", MNT_EXPIRE},
                                         {"UMOUNT_NOFOLLOW", UMOUNT_NOFOLLOW}}};

bool IsOctal(char c) { return c >= '0' && c <= '7'; }

// Decodes octal escapes: "\040" is a blank.
std::string Unescape(std::string_view text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 3 < text.size() && IsOctal(text[i + 1]) && IsOctal(text[i + 2]) &&
        IsOctal(text[i + 3])) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

int Combine(std::span<const std::string> names) {
  int flags = 0;
  for (const std::string& name : names) {
    for (const FlagRow& row : kFlags) {
      flags |= row.name == name ? row.flag : 0;
    }
  }
  return flags;
}

}  // namespace

std::vector<Mount> ParseMounts(std::string_view proc_mounts) {
  std::vector<Mount> mounts;
  std::istringstream lines{std::string(proc_mounts)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::string source;
    std::string target;
    std::string type;
    if (words >> source >> target >> type) {
      mounts.push_back({.source = Unescape(source), .target = Unescape(target), .type = type});
    }
  }
  return mounts;
}

std::vector<Mount> RealMounts::List() const {
  return ParseMounts(RealFiles().Find("/proc/mounts").value_or(""));
}

fs::path RealMounts::Resolve(const fs::path& path) const {
  std::error_code ignored;
  const fs::path resolved = fs::weakly_canonical(path, ignored);
  return ignored ? path : resolved;
}

bool RealMounts::Unmount(const fs::path& target, std::span<const std::string> flags) {
  if (umount2(target.c_str(), Combine(flags)) == 0) {
    return true;
  }
  if (errno == EINVAL) {
    return false;
  }
  const std::error_code error(errno, std::generic_category());
  throw base::Error(fmt::format("cannot unmount {}: {}", target.string(), error.message()));
}

}  // namespace host
