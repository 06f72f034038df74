#include "static_pods/rootless.h"

#include <gmock/gmock.h>

#include "config/fake_facts.h"
#include "host/fake_host.h"

namespace static_pods {
namespace {

using config::ErrorOf;
using testing::Contains;
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

TEST(RootlessAccounts, StayWhenTheyAreThere) {
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

TEST(RootlessAccounts, ThatDifferAreRefused) {
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
    EXPECT_THAT(ErrorOf([&] { PlanRootlessAccounts({c.passwd, c.group}, c.login_defs); }),
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

TEST(RootlessAccounts, LeaveOtherLinesByteForByte) {
  const AccountFiles files{.passwd = "a:x:1:1:::\n\nkubeadm-ks:x:2:2:::/bin/false\nlast:x:3:3:::",
                           .group = ""};
  EXPECT_EQ(WithoutRootlessAccounts(files).passwd, "a:x:1:1:::\n\nlast:x:3:3:::");
}

const RootlessIds kIds{.etcd = {1, 11},
                       .api_server = {2, 12},
                       .controller_manager = {3, 13},
                       .scheduler = {4, 14},
                       .sa_key_readers = 15};

json::Value EmptyPod() {
  return {{"spec",
           {{"containers", json::Value::array({json::Value::object()})},
            {"securityContext", {{"seccompProfile", {{"type", "RuntimeDefault"}}}}}}}};
}

TEST(RunAs, DropsWhatAComponentDoesNotNeed) {
  struct Case {
    Component component;
    std::string pod, container;
  };
  for (const Case& c : std::initializer_list<Case>{
           {Component::kEtcd,
            R"({"runAsGroup":11,"runAsUser":1,"seccompProfile":{"type":"RuntimeDefault"}})",
            R"({"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}})"},
           {Component::kApiServer,
            R"({"runAsGroup":12,"runAsUser":2,"seccompProfile":{"type":"RuntimeDefault"},)"
            R"("supplementalGroups":[15]})",
            R"({"capabilities":{"add":["NET_BIND_SERVICE"],"drop":["ALL"]}})"},
           {Component::kControllerManager,
            R"({"runAsGroup":13,"runAsUser":3,"seccompProfile":{"type":"RuntimeDefault"},)"
            R"("supplementalGroups":[15]})",
            R"({"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}})"},
           {Component::kScheduler,
            R"({"runAsGroup":14,"runAsUser":4,"seccompProfile":{"type":"RuntimeDefault"}})",
            R"({"allowPrivilegeEscalation":false,"capabilities":{"drop":["ALL"]}})"}}) {
    json::Value pod = EmptyPod();
    RunAs(pod, c.component, kIds);
    EXPECT_EQ(pod["spec"]["securityContext"].dump(), c.pod) << Name(c.component);
    EXPECT_EQ(pod["spec"]["containers"][0]["securityContext"].dump(), c.container)
        << Name(c.component);
  }
}

TEST(Ownership, CoversWhatTheComponentReads) {
  config::ClusterConfiguration cluster{.certificates_dir = "/pki"};
  cluster.etcd.local = config::LocalEtcd{.data_dir = "/data"};
  EXPECT_EQ(OwnershipFor(Component::kEtcd, cluster, kIds, {}),
            (std::vector<Ownership>{{"/pki/etcd/server.key", 1, 11, 0600},
                                    {"/pki/etcd/peer.key", 1, 11, 0600},
                                    {"/data", 1, 11, 0}}));
  EXPECT_EQ(OwnershipFor(Component::kApiServer, cluster, kIds, {}).size(), 6U);
  EXPECT_THAT(OwnershipFor(Component::kApiServer, cluster, kIds, {}),
              Contains(Ownership{"/pki/sa.key", 0, 15, 0640}));
  EXPECT_EQ(OwnershipFor(Component::kControllerManager, cluster, kIds, {.external_ca = true}),
            (std::vector<Ownership>{{"/etc/kubernetes/controller-manager.conf", 3, 13, 0600},
                                    {"/pki/sa.key", 0, 15, 0640}}));
  EXPECT_EQ(OwnershipFor(Component::kScheduler, cluster, kIds, {}),
            (std::vector<Ownership>{{"/etc/kubernetes/scheduler.conf", 4, 14, 0600}}));
  cluster.etcd = {.external = config::ExternalEtcd{}};
  EXPECT_EQ(OwnershipFor(Component::kApiServer, cluster, kIds, {}).size(), 5U);
}

TEST(Ownership, SetsModes) {
  host::FakeHost fake;
  fake.files.Write("/a", "x", {.mode = 0600});
  const auto before = *fake.files.Stat("/a");
  ApplyOwnership(fake.files, {{"/a", before.uid, before.gid, 0640}});
  EXPECT_EQ(fake.files.Stat("/a")->mode, 0640U);
}

TEST(Rootless, IsAFeatureGate) {
  EXPECT_FALSE(IsRootless({}));
  EXPECT_FALSE(IsRootless({.feature_gates = {{"RootlessControlPlane", false}}}));
  EXPECT_TRUE(IsRootless({.feature_gates = {{"RootlessControlPlane", true}}}));
}

}  // namespace
}  // namespace static_pods
