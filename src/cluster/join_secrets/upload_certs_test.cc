// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/upload_certs.h"

#include <gmock/gmock.h>

#include "kube/fake_cluster.h"
#include "kube/objects.h"

namespace join_secrets {
namespace {

using kube::resources::kSecret;
using testing::ElementsAre;
using namespace std::chrono_literals;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'767'225'600)};  // 2026-01-01

using UploadCerts = kube::FakeCluster;

TEST_F(UploadCerts, MakesTheTokenTheOwnerOfTheSecret) {
  UploadCertificates(client_, {{"ca.crt", "sealed"}, {"ca.key", std::nullopt}},
                     {.now = kNow, .token = "abcdef.0123456789abcdef"});
  const json::Value token = Stored(kSecret, "bootstrap-token-abcdef");
  EXPECT_EQ(kube::SecretValue(token, "expiration"), "2026-01-01T02:00:00Z");
  EXPECT_EQ(kube::SecretValue(token, "description"),
            "Proxy for managing TTL for the kubeadm-certs secret");
  EXPECT_EQ(kube::SecretValue(token, "usage-bootstrap-signing"), std::nullopt);
  const json::Value certs = Stored(kSecret, "kubeadm-certs");
  EXPECT_EQ(certs["data"].dump(), R"({"ca.crt":"c2VhbGVk","ca.key":null})");
  const json::Value owner = certs["metadata"]["ownerReferences"][0];
  EXPECT_EQ(owner["name"], "bootstrap-token-abcdef");
  EXPECT_EQ(owner["uid"], token["metadata"].value("uid", ""));
  EXPECT_EQ(owner["controller"], true);
  EXPECT_THAT(Writes(),
              ElementsAre("POST secrets", "POST secrets", "POST roles", "POST rolebindings"));
}

}  // namespace
}  // namespace join_secrets
