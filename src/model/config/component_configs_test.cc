// SPDX-License-Identifier: Apache-2.0
#include "config/component_configs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "config/defaults.h"
#include "config/fake_facts.h"

namespace config {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;

ClusterConfiguration Cluster() {
  ClusterConfiguration cluster;
  SetDefaults(cluster);
  return cluster;
}

// Returns the stderr output of `action`.
template <typename Action>
std::string Warnings(Action&& action) {
  testing::internal::CaptureStderr();
  action();
  return testing::internal::GetCapturedStderr();
}

TEST(Kubelet, DefaultsFollowTheCluster) {
  ClusterConfiguration cluster = Cluster();
  cluster.networking.service_subnet = "fd01::/112,10.96.0.0/16";
  cluster.networking.dns_domain = "corp.internal";
  cluster.certificates_dir = "/pki/";
  const json::Value value = KubeletWithDefaults(nullptr, cluster);
  EXPECT_EQ(value["clusterDNS"], json::Value::array({"fd01::a"}));
  EXPECT_EQ(value["clusterDomain"], "corp.internal");
  EXPECT_EQ(value["authentication"]["x509"]["clientCAFile"], "/pki/ca.crt");
  EXPECT_EQ(value["cgroupDriver"], "systemd");
  EXPECT_EQ(value["kind"], "KubeletConfiguration");
  EXPECT_FALSE(value.contains("readOnlyPort"));
}

TEST(Kubelet, KeepsUserValuesWithAWarning) {
  struct Case {
    std::string field, given, warning;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"staticPodPath", R"("/x")", R"("staticPodPath" is /x)"},
           {"clusterDNS", R"(["1.2.3.4","1.2.3.5"])", R"("clusterDNS" is [1.2.3.4 1.2.3.5])"},
           {"clusterDomain", R"("d")", "cluster.local"},
           {"authentication", R"({"x509":{"clientCAFile":"/ca"}})", "clientCAFile"},
           {"authentication", R"({"anonymous":{"enabled":true}})", "anonymous.enabled"},
           {"authentication", R"({"webhook":{"enabled":false}})", "webhook.enabled"},
           {"authorization", R"({"mode":"AlwaysAllow"})", "recommended value is Webhook"},
           {"healthzBindAddress", R"("0.0.0.0")", "127.0.0.1"},
           {"healthzPort", "0", R"("healthzPort" is 0; the recommended value is 10248)"},
           {"readOnlyPort", "5", "readOnlyPort"}}) {
    json::Value user = json::Value::object();
    user[c.field] = json::Value::parse(c.given);
    json::Value value;
    const std::string warnings = Warnings([&] { value = KubeletWithDefaults(user, Cluster()); });
    EXPECT_THAT(warnings, AllOf(HasSubstr("KubeletConfiguration"), HasSubstr(c.warning)));
    // The given values remain, next to defaults of the same section.
    json::Value merged = value[c.field];
    if (merged.is_object()) {
      merged.merge_patch(user[c.field]);
    }
    EXPECT_EQ(merged, value[c.field].is_object() ? value[c.field] : user[c.field]) << c.field;
  }
}

TEST(Kubelet, EmptyStringsAndRecommendedValuesDoNotCountAsSet) {
  const json::Value user = {{"staticPodPath", ""},
                            {"authentication", nullptr},
                            {"clusterDomain", "cluster.local"},
                            {"readOnlyPort", 0}};
  json::Value value;
  EXPECT_THAT(Warnings([&] { value = KubeletWithDefaults(user, Cluster()); }), IsEmpty());
  EXPECT_EQ(value, KubeletWithDefaults(nullptr, Cluster()));
}

TEST(Kubelet, CertificatesAlwaysRotate) {
  const json::Value user = {{"rotateCertificates", false}, {"cgroupDriver", "cgroupfs"}};
  json::Value value;
  EXPECT_THAT(Warnings([&] { value = KubeletWithDefaults(user, Cluster()); }), IsEmpty());
  EXPECT_EQ(value["rotateCertificates"], true);
  EXPECT_EQ(value["cgroupDriver"], "cgroupfs");
}

TEST(KubeProxy, BindsInTheIpFamilyOfTheApiServer) {
  EXPECT_EQ(KubeProxyWithDefaults(nullptr, Cluster(), "10.0.0.1")["bindAddress"], "0.0.0.0");
  EXPECT_EQ(KubeProxyWithDefaults(nullptr, Cluster(), "fd00::1")["bindAddress"], "::");
  EXPECT_EQ(KubeProxyWithDefaults(nullptr, Cluster(), "")["bindAddress"], "::");
}

TEST(KubeProxy, KeepsUserValuesWithAWarning) {
  ClusterConfiguration cluster = Cluster();
  cluster.networking.pod_subnet = "10.1.0.0/16";
  const json::Value user = {{"bindAddress", "10.9.8.7"},
                            {"clusterCIDR", "1.0.0.0/8"},
                            {"clientConnection", {{"kubeconfig", "/k"}}}};
  json::Value value;
  EXPECT_THAT(Warnings([&] { value = KubeProxyWithDefaults(user, cluster, "10.0.0.1"); }),
              AllOf(HasSubstr("recommended value is 0.0.0.0"), HasSubstr("10.1.0.0/16"),
                    HasSubstr("kubeconfig")));
  EXPECT_EQ(value["clusterCIDR"], "1.0.0.0/8");
}

TEST(KubeProxy, ComparesTheBindAddressWithTheDefaultOfItsIpFamily) {
  const auto warnings = [](const std::string& address) {
    return Warnings(
        [&] { KubeProxyWithDefaults({{"bindAddress", address}}, Cluster(), "10.0.0.1"); });
  };
  EXPECT_THAT(warnings("0.0.0.0"), IsEmpty());
  EXPECT_THAT(warnings("::"), IsEmpty());
  EXPECT_THAT(warnings("fd00::7"), HasSubstr("recommended value is ::"));
  EXPECT_THAT(warnings("here"), HasSubstr("not a valid IP address"));
}

TEST(KubeProxy, UsesTheReleasesModeUnlessTheUserChoseOne) {
  ClusterConfiguration cluster = Cluster();
  const auto mode = [&](const json::Value& user) {
    return KubeProxyWithDefaults(user, cluster, "10.0.0.1")["mode"].get<std::string>();
  };
  cluster.kubernetes_version = "v1.36.3";
  EXPECT_EQ(mode(nullptr), "");
  cluster.kubernetes_version = "v1.37.2";
  EXPECT_EQ(mode(nullptr), "iptables");
  EXPECT_EQ(mode({{"mode", ""}}), "iptables");
  EXPECT_EQ(mode({{"mode", "nftables"}}), "nftables");
  EXPECT_THAT(Warnings([&] { EXPECT_EQ(mode({{"mode", "ipvs"}}), "ipvs"); }),
              HasSubstr("deprecated"));
}

}  // namespace
}  // namespace config
