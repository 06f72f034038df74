// SPDX-License-Identifier: Apache-2.0
#include "kubelet/node_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace kubelet {
namespace {

using testing::HasSubstr;

const json::Value kCluster = {{"apiVersion", "kubelet.config.k8s.io/v1beta1"},
                              {"containerRuntimeEndpoint", ""},
                              {"kind", "KubeletConfiguration"},
                              {"maxPods", 77}};

node_input::PatchSet MergePatch(json::Value document) {
  node_input::PatchSet set;
  set.patches.push_back({.target = std::string(node_input::kKubeletConfigurationTarget),
                         .type = node_input::PatchType::kMerge,
                         .document = std::move(document)});
  return set;
}

TEST(InstanceConfigTest, IsOneLine) {
  host::FakeHost fake;
  WriteInstanceConfig(fake.files, "unix:///run/crio/crio.sock");
  EXPECT_EQ(fake.files.Read(kInstanceConfigFile),
            "containerRuntimeEndpoint: \"unix:///run/crio/crio.sock\"\n");
  EXPECT_EQ(fake.files.Stat(kInstanceConfigFile)->mode, 0644U);
  EXPECT_EQ(fake.files.Stat("/var/lib/kubelet")->mode, 0700U);
}

TEST(NodeConfigTest, IsTheClustersConfigurationByDefault) {
  const NodeConfig config = AssembleNodeConfig({.cluster_value = kCluster});
  EXPECT_EQ(config.value, kCluster);
  EXPECT_TRUE(config.applied.empty());
}

TEST(NodeConfigTest, ResolvConfIsSetOnlyForSystemdResolved) {
  EXPECT_EQ(json::TextAt(
                AssembleNodeConfig({.cluster_value = kCluster, .resolved_is_active = true}).value,
                {"resolvConf"}),
            "/run/systemd/resolve/resolv.conf");
  json::Value own = kCluster;
  own["resolvConf"] = "/x/y";
  const NodeConfig kept = AssembleNodeConfig({.cluster_value = own, .resolved_is_active = true});
  EXPECT_EQ(json::TextAt(kept.value, {"resolvConf"}), "/x/y");
  EXPECT_EQ(kept.own_resolv_conf, "/x/y");
  EXPECT_EQ(AssembleNodeConfig({.cluster_value = own}).own_resolv_conf, std::nullopt);
}

TEST(NodeConfigTest, TheInstanceConfigurationComesAfterTheUsersPatches) {
  const node_input::PatchSet patches = MergePatch(
      {{"containerRuntimeEndpoint", "unix:///patched"}, {"resolvConf", "/p"}, {"maxPods", 7}});
  const NodeConfig config =
      AssembleNodeConfig({.cluster_value = kCluster,
                          .resolved_is_active = true,
                          .patches = &patches,
                          .instance_config = InstanceConfigText("unix:///i")});
  EXPECT_EQ(json::TextAt(config.value, {"containerRuntimeEndpoint"}), "unix:///i");
  EXPECT_EQ(json::TextAt(config.value, {"resolvConf"}), "/p");
  EXPECT_EQ(config.value["maxPods"], 7);
  ASSERT_EQ(config.applied.size(), 2U);
  EXPECT_EQ(config.applied[0].type, node_input::PatchType::kMerge);
  EXPECT_EQ(config.applied[1].type, node_input::PatchType::kStrategic);
}

TEST(NodeConfigTest, AppliesEveryFieldOfTheInstanceConfiguration) {
  const NodeConfig config = AssembleNodeConfig(
      {.cluster_value = kCluster, .instance_config = "containerRuntimeEndpoint: q\nmaxPods: 9\n"});
  EXPECT_EQ(config.value["maxPods"], 9);
  EXPECT_TRUE(
      AssembleNodeConfig({.cluster_value = kCluster, .instance_config = ""}).applied.empty());
}

TEST(NodeConfigTest, AnUnreadableInstanceConfigurationIsNamed) {
  const base::Error error = base::Thrown(
      [&] { AssembleNodeConfig({.cluster_value = kCluster, .instance_config = "garbage: {"}); });
  EXPECT_THAT(error.what(), HasSubstr(kInstanceConfigFile));
}

TEST(NodeConfigTest, FactsComeFromTheHost) {
  host::FakeHost fake;
  fake.processes.On("systemctl is-active systemd-resolved", {.out = "active\n"});
  WriteInstanceConfig(fake.files, "unix:///i");
  const NodeConfig with = MakeNodeConfig(fake.host, kCluster, nullptr, UseInstanceConfig::kYes);
  EXPECT_EQ(json::TextAt(with.value, {"containerRuntimeEndpoint"}), "unix:///i");
  EXPECT_EQ(json::TextAt(with.value, {"resolvConf"}), kResolvedResolvConf);
  const NodeConfig without = MakeNodeConfig(fake.host, kCluster, nullptr, UseInstanceConfig::kNo);
  EXPECT_EQ(json::TextAt(without.value, {"containerRuntimeEndpoint"}), "");
}

TEST(NodeConfigTest, WarnsOfACustomResolvConf) {
  host::FakeHost fake;
  fake.processes.On("systemctl is-active systemd-resolved", {.out = "active\n"});
  json::Value own = kCluster;
  own["resolvConf"] = "/x/y";
  testing::internal::CaptureStderr();
  MakeNodeConfig(fake.host, own, nullptr, UseInstanceConfig::kNo);
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("The recommended value for \"resolvConf\" in \"KubeletConfiguration\" is: "
                        "/run/systemd/resolve/resolv.conf; the provided value is: /x/y"));
}

TEST(NodeConfigTest, WithoutAnInitSystemResolvedIsNotActive) {
  host::FakeHost fake;
  EXPECT_FALSE(ResolvedIsActive(fake.host));
  fake.processes.AddExecutable("openrc");  // without its tools: unknown
  EXPECT_FALSE(ResolvedIsActive(fake.host));
}

TEST(NodeConfigTest, AnExistingFileKeepsItsMode) {
  host::FakeHost fake;
  WriteNodeConfig(fake.files, kCluster);
  EXPECT_EQ(fake.files.Stat(kConfigFile)->mode, 0644U);
  EXPECT_THAT(fake.files.Read(kConfigFile), HasSubstr("kind: KubeletConfiguration\nmaxPods: 77\n"));
  fake.files.SetMode(kConfigFile, 0600);
  WriteNodeConfig(fake.files, kCluster);
  EXPECT_EQ(fake.files.Stat(kConfigFile)->mode, 0600U);
}

}  // namespace
}  // namespace kubelet
