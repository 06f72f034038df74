// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/gather.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace upgrade_path {
namespace {

using testing::ElementsAre;
using testing::Field;

TEST(RequestedApis, IncludeOnlyApisThatAReleaseDrops) {
  constexpr std::string_view kMetrics =
      "# TYPE apiserver_requested_deprecated_apis gauge\n"
      "apiserver_requested_deprecated_apis{group=\"networking.k8s.io\",removed_release=\"1.37\","
      "resource=\"ipaddresses\",subresource=\"\",version=\"v1beta1\"} 1\n"
      "apiserver_requested_deprecated_apis{group=\"\",removed_release=\"\","
      "resource=\"componentstatuses\",subresource=\"\",version=\"v1\"} 1\n"
      "apiserver_requested_deprecated_apis{group=\"a\",removed_release=\"1.36\",resource=\"b\","
      "subresource=\"\",version=\"v1\"} 0\n"
      "apiserver_request_total{removed_release=\"1.37\"} 1\n";
  EXPECT_THAT(RequestedApis(kMetrics),
              ElementsAre(testing::AllOf(
                  Field(&RequestedApi::resource, "ipaddresses.networking.k8s.io/v1beta1"),
                  Field(&RequestedApi::removed_minor, 37))));
}

TEST(Gates, AreCollectedOfArgumentsWithTheirLastValue) {
  const host::FakeHost fake;
  config::ClusterConfiguration cluster;
  cluster.api_server.component.extra_args = {{.name = "feature-gates", .value = "A=false,B=F"},
                                             {.name = "feature-gates", .value = "A=true"}};
  cluster.scheduler.extra_args = {{.name = "feature-gates", .value = "kube:C=1"}};
  PathFacts facts;
  CollectSettings(cluster, fake.files, facts);
  EXPECT_THAT(facts.gates, ElementsAre(Field(&Setting::name, "A"), Field(&Setting::name, "B"),
                                       Field(&Setting::name, "C")));
  EXPECT_THAT(facts.gates,
              ElementsAre(Field(&Setting::value, "true"), Field(&Setting::value, "false"),
                          Field(&Setting::value, "true")));
  EXPECT_THAT(facts.gates.back().where, "scheduler.extraArgs");
}

std::vector<std::string> Shown(const std::vector<Setting>& settings) {
  std::vector<std::string> shown;
  for (const Setting& setting : settings) {
    shown.push_back(setting.where + " " + setting.name + "=" + setting.value);
  }
  return shown;
}

TEST(Gates, AcceptAnUnderscoreInTheArgument) {
  const host::FakeHost fake;
  config::ClusterConfiguration cluster;
  cluster.api_server.component.extra_args = {{.name = "feature_gates", .value = "A=true"},
                                             {.name = "runtime_config", .value = "a/v1=true"}};
  PathFacts facts;
  CollectSettings(cluster, fake.files, facts);
  EXPECT_THAT(Shown(facts.gates), ElementsAre("apiServer.extraArgs A=true"));
  EXPECT_EQ(facts.api_server_arguments.back().name, "runtime-config");
}

TEST(Arguments, HaveTheirValueBehindTheNameOrInTheNextWord) {
  EXPECT_THAT(Shown(ArgumentsOf(std::vector<kubelet::Word>{{"f", "/usr/bin/kubelet"},
                                                           {"f", "--feature_gates"},
                                                           {"f", "A=true,B=false"},
                                                           {"f", "--lonely"},
                                                           {"f", "--empty="},
                                                           {"f", "--v=2"},
                                                           {"f", "4"}})),
              ElementsAre("f feature-gates=A=true,B=false", "f lonely=", "f empty=", "f v=2"));
}

// Every check reads each file in which a user can set arguments of the kubelet.
class KubeletFiles : public testing::TestWithParam<std::pair<const char*, const char*>> {};

TEST_P(KubeletFiles, AreReadForGatesArgumentsAndGodebug) {
  const auto& [file, text] = GetParam();
  host::FakeHost fake;
  fake.files.Write(file, text, {});
  PathFacts facts;
  CollectSettings({}, fake.files, facts);
  const std::string where = std::string(file) + " ";
  EXPECT_THAT(Shown(facts.kubelet_gates), ElementsAre(where + "NodeSwap=true"));
  EXPECT_THAT(Shown(facts.kubelet_arguments),
              testing::Contains(where + "feature-gates=NodeSwap=true"));
  EXPECT_THAT(Shown(facts.kubelet_godebug), ElementsAre(where + "tls3des=1"));
}

constexpr const char* kEnvironmentFile =
    "GODEBUG=tls3des=1\nKUBELET_EXTRA_ARGS=\"--v=2 --feature-gates=NodeSwap=true\"\n";
constexpr const char* kVariable =
    "[Service]\nEnvironment=\"KUBELET_EXTRA_ARGS=--feature-gates=NodeSwap=true\" "
    "GODEBUG=tls3des=1\n";
constexpr const char* kExecStart =
    "[Service]\nEnvironment=GODEBUG=tls3des=1\nExecStart=\n"
    "ExecStart=/usr/bin/kubelet --feature-gates NodeSwap=true $KUBELET_EXTRA_ARGS\n";

INSTANTIATE_TEST_SUITE_P(
    Files, KubeletFiles,
    testing::Values(std::pair("/etc/default/kubelet", kEnvironmentFile),
                    std::pair("/etc/sysconfig/kubelet", kEnvironmentFile),
                    std::pair("/etc/conf.d/kubelet", kEnvironmentFile),
                    std::pair("/etc/systemd/system/kubelet.service", kVariable),
                    std::pair("/etc/systemd/system/kubelet.service", kExecStart),
                    std::pair("/etc/systemd/system/kubelet.service.d/20.conf", kVariable),
                    std::pair("/etc/systemd/system/kubelet.service.d/20.conf", kExecStart)));

TEST(KubeletGates, HaveTheLastValueOfAllArguments) {
  host::FakeHost fake;
  fake.files.Write("/var/lib/kubelet/kubeadm-flags.env",
                   "KUBELET_KUBEADM_ARGS=\"--feature-gates=EnvFiles=false,A=true\"\n", {});
  fake.files.Write("/etc/default/kubelet",
                   "KUBELET_EXTRA_ARGS=--feature-gates=B=true,EnvFiles=false "
                   "--feature_gates=EnvFiles=true\n",
                   {});
  PathFacts facts;
  CollectSettings({}, fake.files, facts);
  EXPECT_THAT(Shown(facts.kubelet_gates),
              ElementsAre("/var/lib/kubelet/kubeadm-flags.env A=true",
                          "/etc/default/kubelet B=true", "/etc/default/kubelet EnvFiles=true"));
  EXPECT_THAT(facts.kubelet_arguments,
              testing::Each(Field(&Setting::where, "/etc/default/kubelet")))
      << "an upgrade rewrites kubeadm's file";
}

}  // namespace
}  // namespace upgrade_path
