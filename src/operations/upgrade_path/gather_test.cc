// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/gather.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace upgrade_path {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

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

TEST(Arguments, ComeFromAServicesEnvironment) {
  const std::vector<Setting> arguments = ArgumentsOf(
      "/etc/default/kubelet",
      "# KUBELET_EXTRA_ARGS=--no\nKUBELET_EXTRA_ARGS=\"--pod-infra-container-image=p:1 --v=2\"\n");
  EXPECT_THAT(arguments, ElementsAre(Field(&Setting::name, "pod-infra-container-image"),
                                     Field(&Setting::name, "v")));
  EXPECT_EQ(arguments.front().value, "p:1");
  EXPECT_EQ(arguments.back().value, "2");
  EXPECT_THAT(ArgumentsOf("x", ""), IsEmpty());
}

TEST(Arguments, MayHaveTheirValueBehindABlank) {
  const std::vector<Setting> arguments =
      ArgumentsOf("x", "KUBELET_EXTRA_ARGS=--feature-gates 'A=true,B=false' --lonely --v=2 4\n");
  EXPECT_THAT(arguments, ElementsAre(Field(&Setting::value, "A=true,B=false"),
                                     Field(&Setting::value, ""), Field(&Setting::value, "2")));
  EXPECT_EQ(arguments.front().name, "feature-gates");
}

TEST(Arguments, MayHaveTheirValueInQuotationMarks) {
  const std::vector<Setting> arguments =
      ArgumentsOf("x", "KUBELET_EXTRA_ARGS='--feature-gates=\"A=true\" --v=2'\n");
  EXPECT_THAT(arguments,
              ElementsAre(Field(&Setting::value, "A=true"), Field(&Setting::value, "2")));
}

}  // namespace
}  // namespace upgrade_path
