// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/environment.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace upgrade_path {
namespace {

using testing::ElementsAre;

std::vector<std::string> Shown(const std::vector<Setting>& settings) {
  std::vector<std::string> shown;
  for (const Setting& setting : settings) {
    shown.push_back(setting.where + " " + setting.name + "=" + setting.value);
  }
  return shown;
}

TEST(Environment, ComesFromTheConfigurationAndTheNode) {
  const kubelet::Unit unit{
      .environment = {{"/etc/default/kubelet", "GODEBUG", "gotypesalias=0,x=1"},
                      {"20-own.conf", "OTHER", "tls3des=1"},
                      {"20-own.conf", "GODEBUG", "tls3des=1"}}};
  config::ClusterConfiguration cluster;
  cluster.scheduler.extra_envs = {{{"name", "GODEBUG"}, {"value", "tls10server=1"}},
                                  {{"name", "OTHER"}, {"value", "tls10server=1"}}};
  PathFacts facts;
  CollectEnvironment(cluster, unit, facts);
  EXPECT_THAT(Shown(facts.control_plane_godebug), ElementsAre("scheduler.extraEnvs tls10server=1"));
  EXPECT_THAT(Shown(facts.kubelet_godebug),
              ElementsAre("/etc/default/kubelet gotypesalias=0", "/etc/default/kubelet x=1",
                          "20-own.conf tls3des=1"));
}

constexpr std::string_view kUsers =
    "root:x:0:0:root:/root:/bin/sh\nkubelet:x:997:995::/:/bin/false\n";

struct RangesCase {
  const char* name;
  std::string_view passwd;
  std::string subuid;
  std::string subgid;
  std::vector<std::string> shown;
};

class IdRanges : public testing::TestWithParam<RangesCase> {};

TEST_P(IdRanges, AreThoseOfUserKubelet) {
  host::FakeHost fake;
  fake.files.Write("/etc/passwd", GetParam().passwd, {});
  fake.files.Write("/etc/subuid", GetParam().subuid, {});
  fake.files.Write("/etc/subgid", GetParam().subgid, {});
  PathFacts facts;
  CollectIdRanges(fake.files, facts);
  std::vector<std::string> shown;
  for (const IdRange& range : facts.id_ranges) {
    shown.push_back(range.where + " " + std::to_string(range.start + range.count));
  }
  EXPECT_EQ(shown, GetParam().shown);
}

INSTANTIATE_TEST_SUITE_P(
    Lines, IdRanges,
    testing::Values(RangesCase{"ByName",
                               kUsers,
                               "other:1:4294967295\nkubelet:65536:4294901760\n",
                               "kubelet:1:9\n",
                               {"/etc/subuid 4294967296", "/etc/subgid 10"}},
                    RangesCase{"ByUid",
                               kUsers,
                               "997:65536:4294901760\n",
                               "997:1:9\n995:1:8\n",
                               {"/etc/subuid 4294967296", "/etc/subgid 10"}},
                    RangesCase{"WithoutTheUser",
                               "root:x:0:0:root:/root:/bin/sh\n",
                               "kubelet:65536:4294901760\n",
                               "997:65536:4294901760\n",
                               {}},
                    RangesCase{"Malformed", kUsers, "kubelet:1:2:3\n", "kubelet:x:1\n", {}}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace upgrade_path
