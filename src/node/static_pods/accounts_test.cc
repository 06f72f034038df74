// SPDX-License-Identifier: Apache-2.0
#include "static_pods/accounts.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "host/fake_host.h"

namespace static_pods {
namespace {

using testing::HasSubstr;

constexpr const char* kPasswd =
    "root:x:0:0:root:/root:/bin/sh\n"
    "messagebus:x:100:101::/nonexistent:/usr/sbin/nologin\n"
    "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n";
constexpr const char* kGroup = "root:x:0:\nmessagebus:x:101:\nnogroup:x:65534:\n";

TEST(RootlessAccounts, TakeTheLowestFreeIds) {
  const Planned planned = PlanRootlessAccounts({kPasswd, kGroup}, "");
  EXPECT_EQ(planned.files.passwd, std::string(kPasswd) +
                                      "kubeadm-etcd:x:101:100:::/bin/false\n"
                                      "kubeadm-kas:x:102:102:::/bin/false\n"
                                      "kubeadm-kcm:x:103:103:::/bin/false\n"
                                      "kubeadm-ks:x:104:104:::/bin/false\n");
  EXPECT_EQ(planned.files.group, std::string(kGroup) +
                                     "kubeadm-etcd:x:100:kubeadm-etcd\n"
                                     "kubeadm-kas:x:102:kubeadm-kas\n"
                                     "kubeadm-kcm:x:103:kubeadm-kcm\n"
                                     "kubeadm-ks:x:104:kubeadm-ks\n"
                                     "kubeadm-sa-key-readers:x:105:kubeadm-kas,kubeadm-kcm\n");
  EXPECT_EQ(planned.ids.etcd.uid, 101U);
  EXPECT_EQ(planned.ids.etcd.gid, 100U);
  EXPECT_EQ(planned.ids.sa_key_readers, 105U);
}

TEST(RootlessAccounts, KeepExistingAccounts) {
  const Planned first = PlanRootlessAccounts({kPasswd, kGroup}, "");
  const Planned second = PlanRootlessAccounts(first.files, "");
  EXPECT_EQ(second.files.passwd, first.files.passwd);
  EXPECT_EQ(second.files.group, first.files.group);
  EXPECT_EQ(second.ids.scheduler.uid, first.ids.scheduler.uid);
}

TEST(RootlessAccounts, ObeyTheRangesOfLoginDefs) {
  const Planned planned = PlanRootlessAccounts(
      {kPasswd, kGroup}, "# x\nSYS_UID_MIN 300\nSYS_UID_MAX\t400\nSYS_GID_MIN   500\n");
  EXPECT_EQ(planned.ids.etcd.uid, 300U);
  EXPECT_EQ(planned.ids.etcd.gid, 500U);
}

TEST(RootlessAccounts, RefusesConflictingAccounts) {
  struct Case {
    std::string name, passwd, group, login_defs, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"user id", "kubeadm-etcd:x:5000:100:::/bin/false\n",
            "kubeadm-etcd:x:100:kubeadm-etcd\n", "", "id 5000"},
           {"shell", "kubeadm-etcd:x:100:100:::/bin/sh\n", "kubeadm-etcd:x:100:kubeadm-etcd\n", "",
            "shell \"/bin/sh\""},
           {"group of the user", "kubeadm-etcd:x:100:7:::/bin/false\n",
            "kubeadm-etcd:x:100:kubeadm-etcd\n", "", "group id 7"},
           {"members", "", "kubeadm-sa-key-readers:x:100:root\n", "", "members [root]"},
           {"no id is left", "", "", "SYS_GID_MIN 100\nSYS_GID_MAX 101\n", "no free system id"},
           {"range", "", "", "SYS_UID_MIN 9\nSYS_UID_MAX 8\n", "SYS_UID_MIN 9"},
           {"fields", "broken\n", "", "", "/etc/passwd:1"},
           {"number", "", "g:x:many:\n", "", "\"many\""}}) {
    EXPECT_THAT(base::MessageOf([&] { PlanRootlessAccounts({c.passwd, c.group}, c.login_defs); }),
                HasSubstr(c.want))
        << c.name;
  }
}

TEST(RootlessAccounts, AreRemovedWithoutATrace) {
  host::FakeHost fake;
  fake.files.Write("/etc/passwd", kPasswd, {.mode = 0644});
  fake.files.Write("/etc/group", kGroup, {.mode = 0644});
  EXPECT_EQ(PlannedRootlessIds(fake.files).api_server.uid, 102U);
  EXPECT_EQ(EnsureRootlessAccounts(fake.host).api_server.uid, 102U);
  EXPECT_THAT(fake.files.Read("/etc/passwd"), HasSubstr("kubeadm-kas"));
  RemoveRootlessAccounts(fake.host);
  EXPECT_EQ(fake.files.Read("/etc/passwd"), kPasswd);
  EXPECT_EQ(fake.files.Read("/etc/group"), kGroup);
  EXPECT_EQ(fake.files.Stat("/etc/passwd")->mode, 0644U);
}

TEST(RootlessAccounts, KeepAccessToTheirSecrets) {
  host::FakeHost fake;
  fake.files.Write("/etc/passwd", std::string(kPasswd) + "+::::::\n", {.mode = 0644});
  fake.files.Write("/etc/group", kGroup, {.mode = 0644});
  const host::SecretOwners owners = RootlessOwners(fake.files);
  EXPECT_FALSE(owners.user(102)) << "there are none";
  fake.files.Write("/etc/passwd", kPasswd, {.mode = 0644});
  const RootlessIds ids = EnsureRootlessAccounts(fake.host);
  EXPECT_TRUE(owners.user(ids.api_server.uid));
  EXPECT_TRUE(owners.user(ids.etcd.uid));
  EXPECT_FALSE(owners.user(0));
  EXPECT_FALSE(owners.user(100)) << "another account";
  EXPECT_TRUE(owners.group(ids.sa_key_readers));
  EXPECT_TRUE(owners.group(ids.etcd.gid));
  EXPECT_FALSE(owners.group(0));
  EXPECT_FALSE(owners.group(101));
}

TEST(RootlessAccounts, LeaveOtherLinesByteForByte) {
  const AccountFiles files{.passwd = "a:x:1:1:::\n\nkubeadm-ks:x:2:2:::/bin/false\nlast:x:3:3:::",
                           .group = ""};
  EXPECT_EQ(WithoutRootlessAccounts(files).passwd, "a:x:1:1:::\n\nlast:x:3:3:::");
}

}  // namespace
}  // namespace static_pods
