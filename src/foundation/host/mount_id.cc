// SPDX-License-Identifier: Apache-2.0
#include "host/mount_id.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "base/number.h"
#include "base/strings.h"

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

// Row is one line of mountinfo. Blanks in names stay escaped, on both sides of a comparison.
struct Row {
  std::uint64_t id = 0;
  std::uint64_t parent = 0;
  std::string device;
  std::filesystem::path root;
  std::filesystem::path target;
  std::string type;
};

std::vector<Row> RowsOf(std::string_view mountinfo) {
  std::vector<Row> rows;
  for (const std::string& line : base::Lines(mountinfo)) {
    const std::vector<std::string> words = base::Fields(line);
    const auto dash = std::ranges::find(words, "-");
    if (dash - words.begin() < 6 || words.end() - dash < 2) {
      continue;
    }
    const auto id = base::ParseNumber<std::uint64_t>(words[0]);
    const auto parent = base::ParseNumber<std::uint64_t>(words[1]);
    rows.push_back({.id = id.value_or(0),
                    .parent = parent.value_or(0),
                    .device = words[2],
                    .root = words[3],
                    .target = words[4],
                    .type = *std::next(dash)});
  }
  return rows;
}

bool IsBelow(const std::filesystem::path& path, const std::filesystem::path& directory) {
  const std::filesystem::path relative = path.lexically_relative(directory);
  return !relative.empty() && *relative.begin() != "..";
}

// IsBeneath: the mount shows the directory on which it is mounted.
bool IsBeneath(const Row& row, const Row& parent) {
  const auto relative = row.target.lexically_relative(parent.target);
  return row.device == parent.device && row.root == (parent.root / relative).lexically_normal();
}

}  // namespace

bool IsOwnMount(std::string_view mountinfo, std::uint64_t mount, std::uint64_t inode) {
  constexpr std::uint64_t kSubvolumeRoot = 256;  // btrfs has no other file of that number
  const std::vector<Row> rows = RowsOf(mountinfo);
  const auto own = std::ranges::find(rows, mount, &Row::id);
  if (own == rows.end()) {
    return false;
  }
  const auto parent = std::ranges::find(rows, own->parent, &Row::id);
  if (parent != rows.end() && parent != own && IsBeneath(*own, *parent)) {
    return true;
  }
  const bool whole = own->root == "/" || (own->type == "btrfs" && inode == kSubvolumeRoot);
  return whole && std::ranges::none_of(rows, [&](const Row& other) {
           return other.device == own->device && other.root == own->root &&
                  !IsBelow(other.target, own->target);
         });
}

bool IsOwnFileSystem(int fd) {
  std::ifstream file("/proc/self/mountinfo");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  struct stat found{};
  return ::fstat(fd, &found) == 0 && IsOwnMount(text, MountOf(fd).mount, found.st_ino);
}

MountId MountOf(int fd) {
  struct statx found{};
  if (::statx(fd, "", AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW, STATX_MNT_ID, &found) != 0) {
    return {};
  }
  // An emulator that does not know the field says that it is there, and nothing is in it.
  const bool told = (found.stx_mask & STATX_MNT_ID) != 0U && found.stx_mnt_id != 0;
  const std::optional<std::uint64_t> mount =
      told ? std::optional(std::uint64_t{found.stx_mnt_id}) : FromProc(fd);
  return {.device = (std::uint64_t{found.stx_dev_major} << 32U) | found.stx_dev_minor,
          .mount = mount.value_or(0),
          .known = mount.has_value()};
}

}  // namespace host
