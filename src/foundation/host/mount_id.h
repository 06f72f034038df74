// SPDX-License-Identifier: Apache-2.0
// The identity of a mount. Internal to this library.
#pragma once

#include <cstdint>

namespace host {

// Identifies a mount and a device. Two open files have equal MountIds if both are equal. The device
// alone is not enough, because a bind mount has the same device. The mount alone is not enough,
// because a subvolume is in the same mount.
struct MountId {
  std::uint64_t device = 0;
  std::uint64_t mount = 0;
  bool known = false;

  // An unknown mount differs from every mount, including itself, so that it is never entered.
  bool operator==(const MountId& other) const {
    return known && other.known && device == other.device && mount == other.mount;
  }
};

// Queries the kernel by statx(2), or by /proc/self/fdinfo (proc(5)) before Linux 5.8.
MountId MountOf(int fd);

}  // namespace host
