// SPDX-License-Identifier: Apache-2.0
#include "backup/retention.h"

#include <gmock/gmock.h>

#include "backup/manifest.h"

namespace backup {
namespace {

using std::chrono::days;
using std::chrono::sys_days;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr std::chrono::sys_seconds kNow = sys_days(std::chrono::year(2026) / 11 / 29);

std::string NameAt(std::chrono::sys_seconds time, const std::string& node = "cp1") {
  Manifest manifest;
  manifest.node.name = node;
  manifest.created = time;
  return FileName(manifest, true);
}

TEST(TimeInName, IsTheTimeOfThisNodesBackups) {
  EXPECT_EQ(TimeInName(NameAt(kNow), "cp1"), kNow);
  EXPECT_EQ(TimeInName("kubeadm-cp1-20261129T000000Z.tar.zst", "cp1"), kNow);
  for (const char* other :
       {"kubeadm-cp1-b-20261129T000000Z.tar.zst.age", "kubeadm-cp2-20261129T000000Z.tar.zst",
        "kubeadm-cp1-20261329T000000Z.tar.zst", "kubeadm-cp1-20261129T000000Z.tar.zst.part",
        "kubeadm-cp1-.tar.zst", "kubeadm-cp1-", "kubeadm-cp1-20261129T00000Z.tar.zst", "", "x"}) {
    EXPECT_EQ(TimeInName(other, "cp1"), std::nullopt) << other;
  }
}

TEST(TimeInName, IsTheTimeOfAnyNodesBackups) {
  for (const char* name :
       {"kubeadm-cp1-20261129T000000Z.tar.zst", "kubeadm-cp-2-20261129T000000Z.tar.zst.age"}) {
    EXPECT_EQ(TimeInName(name), kNow) << name;
  }
  for (const char* name : {"etcd-20261129T000000Z.tar.zst", "kubeadm-cp1-20261129T000000Z.tar",
                           "20261129T000000Z.tar.zst", ".tar.zst.age", ""}) {
    EXPECT_EQ(TimeInName(name), std::nullopt) << name;
  }
}

TEST(ChooseExpired, KeepsTheNewestByCount) {
  const std::vector<std::string> names{NameAt(kNow - days(2)), NameAt(kNow), NameAt(kNow - days(1)),
                                       "notes.txt", NameAt(kNow - days(9), "cp2")};
  EXPECT_THAT(ChooseExpired(names, "cp1", {.count = 2, .within = {}}, kNow),
              ElementsAre(NameAt(kNow - days(2))));
  EXPECT_THAT(ChooseExpired(names, "cp1", {.count = 3, .within = {}}, kNow), IsEmpty());
}

TEST(ChooseExpired, KeepsCurrentBackupsDespiteNamesWithFutureTimes) {
  const std::vector<std::string> names{NameAt(kNow + days(365)), NameAt(kNow + days(366)),
                                       NameAt(kNow)};
  EXPECT_THAT(ChooseExpired(names, "cp1", {.count = 1, .within = {}}, kNow), IsEmpty());
}

TEST(ChooseExpired, RemovesByAgeButNotTheLast) {
  const std::vector<std::string> names{NameAt(kNow - days(40)), NameAt(kNow - days(50))};
  EXPECT_THAT(ChooseExpired(names, "cp1", {.count = 14, .within = days(30)}, kNow),
              ElementsAre(NameAt(kNow - days(50))));
  EXPECT_THAT(ChooseExpired({names.front()}, "cp1", {.count = 1, .within = days(30)}, kNow),
              IsEmpty());
}

}  // namespace
}  // namespace backup
