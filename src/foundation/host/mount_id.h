// SPDX-License-Identifier: Apache-2.0
// What tells mounts apart; for the inside of this room.
#pragma once

#include <cstdint>
#include <string_view>

namespace host {

// MountId is equal for two open files of the same mount and device. The device alone is the same
// for a bind mount, the mount alone for a subvolume.
struct MountId {
  std::uint64_t device = 0;
  std::uint64_t mount = 0;
  bool known = false;

  // What is not known is the same as nothing, not even as itself: it is not entered.
  bool operator==(const MountId& other) const {
    return known && other.known && device == other.device && mount == other.mount;
  }
};

// MountOf asks the kernel: statx(2), before Linux 5.8 /proc/self/fdinfo (proc(5)).
MountId MountOf(int fd);

// IsOwnFileSystem is whether an open directory, on which something is mounted, is the whole of a
// file system (or a subvolume of btrfs) that is mounted there alone, or the directory that lies
// beneath once more. What else is mounted there is a part of something that has another place.
bool IsOwnFileSystem(int fd);

// IsOwnMount is the same by the text of /proc/self/mountinfo (proc(5)), of the mount of that number
// and its root's inode.
bool IsOwnMount(std::string_view mountinfo, std::uint64_t mount, std::uint64_t inode);

}  // namespace host
