// SPDX-License-Identifier: Apache-2.0
#include "host/mount_id.h"

#include <gtest/gtest.h>

#include <string>

namespace host {
namespace {

constexpr std::string_view kRoot = "22 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw\n";

TEST(IsOwnMount, TellsDisksFromDirectoriesOfElsewhere) {
  struct Row {
    std::string name;
    std::string lines;
    std::uint64_t inode;
    bool own;
  };
  for (const Row& row : {
           Row{"a disk", "40 22 8:2 / /d rw shared:3 master:1 - xfs /dev/sdb rw\n", 2, true},
           Row{"memory", "40 22 0:50 / /d rw - tmpfs none rw\n", 1, true},
           Row{"a directory of the root's disk", "40 22 8:1 /x /d rw - ext4 /dev/sda1 rw\n", 7,
               false},
           Row{"itself once more", "40 22 8:1 /d /d rw - ext4 /dev/sda1 rw\n", 7, true},
           Row{"a directory of another disk", "40 22 8:2 /x /d rw - xfs /dev/sdb rw\n", 7, false},
           Row{"a disk that is elsewhere, too",
               "39 22 8:2 / /data rw - xfs /dev/sdb rw\n40 22 8:2 / /d rw - xfs /dev/sdb rw\n", 2,
               false},
           Row{"a disk that is seen below itself",
               "40 22 8:2 / /d rw - xfs /dev/sdb rw\n41 40 8:2 / /d/e rw - xfs /dev/sdb rw\n", 2,
               true},
           Row{"a subvolume", "40 22 0:9 /@d /d rw - btrfs /dev/sdb rw,subvol=/@d\n", 256, true},
           Row{"a directory in one", "40 22 0:9 /@d/x /d rw - btrfs /dev/sdb rw\n", 257, false},
           Row{"the root itself", "40 22 8:1 / /d rw - ext4 /dev/sda1 rw\n", 2, false},
           Row{"another mount", "41 22 8:2 / /d rw - xfs /dev/sdb rw\n", 2, false},
           Row{"nothing that can be read", "40 22 8:2 / /d rw\n", 2, false},
       }) {
    EXPECT_EQ(IsOwnMount(std::string(kRoot) + row.lines, 40, row.inode), row.own) << row.name;
  }
  EXPECT_FALSE(IsOwnMount("", 0, 0));
}

TEST(IsOwnMount, KnowsWhatIsMountedOnItselfBelowAnotherMount) {
  const std::string lines =
      "30 22 8:2 /srv /mnt rw - xfs /dev/sdb rw\n40 30 8:2 /srv/d /mnt/d rw - xfs /dev/sdb rw\n";
  EXPECT_TRUE(IsOwnMount(std::string(kRoot) + lines, 40, 7));
}

}  // namespace
}  // namespace host
