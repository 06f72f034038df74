// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/environment.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace upgrade_path {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Shown(const std::vector<Setting>& settings) {
  std::vector<std::string> shown;
  for (const Setting& setting : settings) {
    shown.push_back(setting.where + " " + setting.name + "=" + setting.value);
  }
  return shown;
}

TEST(Godebug, IsReadFromFilesOfTheKubeletsUnit) {
  const auto read = [](std::string_view text) { return Shown(GodebugOfUnit("f", text)); };
  EXPECT_THAT(read("GODEBUG=tls3des=1,x=0\n"), ElementsAre("f tls3des=1", "f x=0"));
  EXPECT_THAT(read("GODEBUG=\"tls3des=1\"\n"), ElementsAre("f tls3des=1"));
  EXPECT_THAT(read("[Service]\nEnvironment=\"GODEBUG=tls3des=1\" \"A=b\"\n"),
              ElementsAre("f tls3des=1"));
  EXPECT_THAT(read("Environment=A=b GODEBUG=tls3des=1\n"), ElementsAre("f tls3des=1"));
  EXPECT_THAT(read("# GODEBUG=tls3des=1\n; GODEBUG=a=1\nMYGODEBUG=tls3des=1\n"), IsEmpty());
}

TEST(Environment, ComesFromTheConfigurationAndTheNode) {
  host::FakeHost fake;
  fake.files.Write("/etc/default/kubelet", "GODEBUG=gotypesalias=0\n", {});
  fake.files.Write("/etc/systemd/system/kubelet.service.d/20-own.conf",
                   "[Service]\nEnvironment=GODEBUG=tls3des=1\n", {});
  fake.files.Write("/etc/subuid", "other:1:4294967295\nkubelet:65536:4294901760\n", {});
  fake.files.Write("/etc/subgid", "kubelet:x:1\nkubelet:1:2:3\n", {});
  config::ClusterConfiguration cluster;
  cluster.scheduler.extra_envs = {{{"name", "GODEBUG"}, {"value", "tls10server=1"}},
                                  {{"name", "OTHER"}, {"value", "tls10server=1"}}};
  PathFacts facts;
  CollectEnvironment(cluster, fake.files, facts);
  EXPECT_THAT(Shown(facts.control_plane_godebug), ElementsAre("scheduler.extraEnvs tls10server=1"));
  EXPECT_THAT(Shown(facts.kubelet_godebug),
              ElementsAre("/etc/default/kubelet gotypesalias=0",
                          "/etc/systemd/system/kubelet.service.d/20-own.conf tls3des=1"));
  ASSERT_EQ(facts.id_ranges.size(), 1U);
  EXPECT_EQ(facts.id_ranges.front().start + facts.id_ranges.front().count, 4294967296U);
}

}  // namespace
}  // namespace upgrade_path
