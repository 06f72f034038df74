// SPDX-License-Identifier: Apache-2.0
#include "config/difference.h"

#include <gmock/gmock.h>

#include <algorithm>

namespace config {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

std::vector<std::string> Lines(const ClusterConfiguration& cluster,
                               const ClusterConfiguration& file) {
  std::vector<std::string> lines;
  for (const Difference& difference : Differences(cluster, file)) {
    lines.push_back(difference.kind + " " + difference.path + " " +
                    json::Compact(difference.cluster) + " " + json::Compact(difference.file));
  }
  return lines;
}

TEST(Differences, AreEmptyForEqualConfigurations) {
  ClusterConfiguration cluster;
  cluster.networking.pod_subnet = "10.1.0.0/16";
  EXPECT_THAT(Lines(cluster, cluster), IsEmpty());
}

TEST(Differences, NamesFieldsWithBothValues) {
  ClusterConfiguration cluster;
  ClusterConfiguration file;
  cluster.networking.pod_subnet = "10.1.0.0/16";
  file.networking.pod_subnet = "10.2.0.0/16";
  cluster.controller_manager.extra_args = {{.name = "v", .value = "1"}};
  file.controller_manager.extra_args = {{.name = "v", .value = "2"}};
  file.scheduler.extra_args = {{.name = "v", .value = "3"}};
  EXPECT_THAT(
      Lines(cluster, file),
      ElementsAre(R"(ClusterConfiguration controllerManager.extraArgs.v "1" "2")",
                  R"(ClusterConfiguration networking.podSubnet "10.1.0.0/16" "10.2.0.0/16")",
                  R"(ClusterConfiguration scheduler.extraArgs.v null "3")"));
}

TEST(Differences, ComparesArgumentsByName) {
  ClusterConfiguration cluster;
  ClusterConfiguration file;
  cluster.api_server.component.extra_args = {{.name = "audit-log-maxage", .value = "30"},
                                             {.name = "profiling", .value = "false"},
                                             {.name = "tls.x", .value = "1"},
                                             {.name = "v", .value = "2"}};
  file.api_server.component.extra_args = {{.name = "profiling", .value = "false"},
                                          {.name = "tls.x", .value = "1"},
                                          {.name = "audit-log-maxage", .value = "60"}};
  EXPECT_THAT(Lines(cluster, file),
              ElementsAre(R"(ClusterConfiguration apiServer.extraArgs.audit-log-maxage "30" "60")",
                          R"(ClusterConfiguration apiServer.extraArgs.v "2" null)"));
  std::ranges::reverse(cluster.api_server.component.extra_args);
  file.api_server.component.extra_args = cluster.api_server.component.extra_args;
  std::ranges::reverse(file.api_server.component.extra_args);
  EXPECT_THAT(Lines(cluster, file), IsEmpty()) << "the API server gets them sorted by name";
}

TEST(Differences, CompareTheOrderOfRepeatedArguments) {
  ClusterConfiguration cluster;
  ClusterConfiguration file;
  constexpr const char* kIssuer = "service-account-issuer";
  cluster.api_server.component.extra_args = {{.name = kIssuer, .value = "https://a"},
                                             {.name = kIssuer, .value = "https://b"}};
  file.api_server.component.extra_args = {{.name = kIssuer, .value = "https://b"},
                                          {.name = kIssuer, .value = "https://a"}};
  const std::string path = "ClusterConfiguration apiServer.extraArgs.service-account-issuer ";
  EXPECT_THAT(Lines(cluster, file),
              ElementsAre(path + R"(["https://a","https://b"] ["https://b","https://a"])"));
  file.api_server.component.extra_args.pop_back();
  EXPECT_THAT(Lines(cluster, file),
              ElementsAre(path + R"(["https://a","https://b"] ["https://b"])"));
}

TEST(Differences, ComparesVariablesAndVolumesByName) {
  ClusterConfiguration cluster;
  ClusterConfiguration file;
  cluster.scheduler.extra_volumes = {{.name = "a", .host_path = "/a", .mount_path = "/a"},
                                     {.name = "b", .host_path = "/b", .mount_path = "/b"}};
  file.scheduler.extra_volumes = {{.name = "b", .host_path = "/c", .mount_path = "/b"}};
  EXPECT_THAT(
      Lines(cluster, file),
      ElementsAre(
          R"(ClusterConfiguration scheduler.extraVolumes.a {"hostPath":"/a","mountPath":"/a"} null)",
          R"(ClusterConfiguration scheduler.extraVolumes.b.hostPath "/b" "/c")"));
}

TEST(Differences, CompareComponentsOnlyIfTheFileHasThem) {
  ClusterConfiguration cluster;
  ClusterConfiguration file;
  cluster.kubelet.value = {{"maxPods", 110}};
  file.kubelet.value = {{"maxPods", 50}};
  cluster.kube_proxy.value = {{"mode", "iptables"}};
  file.kube_proxy.value = {{"mode", "nftables"}};
  EXPECT_THAT(Lines(cluster, file), IsEmpty());
  file.kubelet.user_supplied = true;
  EXPECT_THAT(Lines(cluster, file), ElementsAre("KubeletConfiguration maxPods 110 50"));
}

TEST(DifferencesText, HasALineForEachSideUnderItsKind) {
  EXPECT_EQ(
      TextOf(std::vector<Difference>{
          {.kind = "A", .path = "x", .cluster = 1, .file = 2},
          {.kind = "A", .path = "y.z", .cluster = nullptr, .file = "new"},
          {.kind = "B", .path = "w", .cluster = json::Value::array({true}), .file = nullptr}}),
      "--- cluster\n+++ file\n"
      "@@ A @@\n-x: 1\n+x: 2\n+y.z: \"new\"\n"
      "@@ B @@\n-w: [true]\n");
  EXPECT_EQ(TextOf(std::vector<Difference>{}), "The cluster is configured as the file says\n");
}

TEST(DifferencesObject, WritesUnsetValuesAsNull) {
  EXPECT_EQ(json::Compact(ObjectOf(std::vector<Difference>{
                {.kind = "A", .path = "y", .cluster = nullptr, .file = "new"}})),
            R"({"kind":"ConfigurationDifference","apiVersion":"output.slipway/v1alpha1",)"
            R"("differences":[{"ofKind":"A","path":"y","cluster":null,"file":"new"}]})");
}

}  // namespace
}  // namespace config
