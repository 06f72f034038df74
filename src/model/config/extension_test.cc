// SPDX-License-Identifier: Apache-2.0
#include "config/extension.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "config/field_tree.h"
#include "config/load.h"
#include "config/marshal.h"

namespace config {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kHead = "apiVersion: config.slipway/v1alpha1\nkind: ExtensionConfiguration\n";

Source File(const std::string& text) { return {.text = text, .name = "kubeadm.yaml"}; }

KubeletServingCerts Read(const std::string& body) {
  return ReadExtension(File(InitText() + "---\n" + kHead + body)).kubelet_serving_certs;
}

TEST(Extension, IsOffByDefault) {
  EXPECT_FALSE(ReadExtension(File(InitText())).kubelet_serving_certs.enabled);
  EXPECT_FALSE(Read("").enabled);
  EXPECT_FALSE(Read("kubeletServingCerts: {}\n").enabled);
}

TEST(Extension, NamesTheImagesOfTheOperator) {
  const Fleet fleet =
      ReadExtension(File(InitText() + "---\n" + kHead +
                         "fleet: {enabled: true, image: r/o:1, kubeadmImage: r/k:1}\n"))
          .fleet;
  EXPECT_TRUE(fleet.enabled);
  EXPECT_EQ(fleet.image, "r/o:1");
  EXPECT_EQ(fleet.kubeadm_image, "r/k:1");
  EXPECT_FALSE(ReadExtension(File(InitText())).fleet.enabled);
}

TEST(Extension, IsRead) {
  const KubeletServingCerts certs = Read("kubeletServingCerts: {enabled: true, image: a/b:c}\n");
  EXPECT_TRUE(certs.enabled);
  EXPECT_EQ(certs.image, "a/b:c");
  EXPECT_EQ(Read("kubeletServingCerts: {program: /opt/x}\n").program, "/opt/x");
  EXPECT_THAT(Read("kubeletServingCerts: {allowedCIDRs: [10.0.0.0/8, 'fd00::/8']}\n").allowed_cidrs,
              ElementsAre("10.0.0.0/8", "fd00::/8"));
}

TEST(Extension, RefusesUnknownContent) {
  const struct {
    std::string body, words;
  } kCases[] = {
      {"kubeletServingCert: {}\n", "kubeadm.yaml"},
      {"kubeletServingCerts: {enable: true}\n", "enable"},
      {"kubeletServingCerts: {enabled: 'yes'}\n", "enabled"},
      {"kubeletServingCerts: {image: a, program: /b}\n", "not both"},
      {"kubeletServingCerts: {program: b}\n", "absolute path"},
      {"kubeletServingCerts: {allowedCIDRs: [10.0.0.0]}\n", "allowedCIDRs"},
      {"kubeletServingCerts: {allowedCIDRs: 10.0.0.0/8}\n", "allowedCIDRs"},
      {"kubeletServingCerts: {allowedCIDRs: ['::/0']}\n", "every address"},
  };
  for (const auto& [body, words] : kCases) {
    EXPECT_THAT(base::MessageOf([&] { Read(body); }), HasSubstr(words)) << body;
  }
  EXPECT_THAT(
      base::MessageOf([&] {
        ReadExtension(File("apiVersion: config.slipway/v9\nkind: ExtensionConfiguration\n"));
      }),
      HasSubstr("config.slipway/v9"));
}

TEST(Extension, IsValidatedMigratedAndExplained) {
  const std::string good = std::string(kHead) + "kubeletServingCerts:\n  enabled: true\n";
  EXPECT_NO_THROW(
      ValidateFile(File(InitText() + "---\n" + good), FakeFacts(), DeprecatedVersions::kWarn));
  EXPECT_THROW(ValidateFile(File(InitText() + "---\n" + kHead + "x: 1\n"), FakeFacts(),
                            DeprecatedVersions::kWarn),
               base::Error);
  EXPECT_THAT(Migrate(File(InitText() + "---\n" + good), FakeFacts()), HasSubstr(good));
  ASSERT_EQ(FindFields("extension.kubeletServingCerts.enabled").size(), 1U);
}

TEST(ServeByClusterCa, ConfiguresKubeletsAndApiServers) {
  Init config = LoadInit(File(InitText()), FakeFacts());
  ServeByClusterCa(config.cluster);
  EXPECT_EQ(config.cluster.kubelet.value["serverTLSBootstrap"], true);
  EXPECT_TRUE(config.cluster.kubelet.user_supplied) << "upgrades keep it";
  EXPECT_EQ(
      FindArg(config.cluster.api_server.component.extra_args, "kubelet-certificate-authority"),
      "/etc/kubernetes/pki/ca.crt");
  EXPECT_TRUE(VerifiesKubeletsByClusterCa(config.cluster));
}

TEST(ServeByClusterCa, KeepsTheCaOfTheUser) {
  Init config = LoadInit(File(InitText()), FakeFacts());
  Args& args = config.cluster.api_server.component.extra_args;
  args = {{.name = "kubelet-certificate-authority", .value = "/mine.crt"}};
  ServeByClusterCa(config.cluster);
  ASSERT_EQ(args.size(), 1U);
  EXPECT_EQ(args[0].value, "/mine.crt");
  EXPECT_FALSE(VerifiesKubeletsByClusterCa(config.cluster));
}

}  // namespace
}  // namespace config
