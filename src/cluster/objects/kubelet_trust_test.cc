// SPDX-License-Identifier: Apache-2.0
#include "objects/kubelet_trust.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "json/value.h"
#include "kube/fake_server.h"
#include "kube/objects.h"

namespace objects {
namespace {

using base::Error;
using testing::IsEmpty;

class KubeletTrustTest : public testing::Test {
 protected:
  // Makes the server answer 404 for the first `first` versions of the API.
  void LeaveOut(std::size_t first) {
    for (std::size_t i = 0; i < first; ++i) {
      server_.Inject({.what = "GET /apis/certificates.k8s.io/" +
                              std::string(kClusterTrustBundles[i].version) + "/clustertrust",
                      .status = 404,
                      .reason = "NotFound",
                      .message = "the server could not find the requested resource",
                      .times = -1});
    }
  }

  // Returns the published objects as "object=certificates" lines.
  std::string Published() {
    std::string text;
    for (const KubeletTrust& each : CollectKubeletTrust(client_)) {
      text += each.object + "=" + each.pem + "\n";
    }
    return text;
  }

  json::Value Bundle(std::size_t version) {
    return server_.Find(kClusterTrustBundles[version], "", std::string(kKubeletTrustBundle))
        .value_or(json::Value());
  }

  kube::FakeApiServer server_;
  host::FakeClock clock_;
  kube::Client client_{server_.NewTransport(), clock_, {}};
};

constexpr const char* kBundle = "ClusterTrustBundle kubernetes.io:kubelet-serving:cluster-ca=";
constexpr const char* kMap = "ConfigMap kube-system/kubelet-serving-ca=";

TEST_F(KubeletTrustTest, PublishesABundleOfTheSigner) {
  PublishKubeletTrust(client_, "one");
  const json::Value bundle = Bundle(0);
  EXPECT_EQ(bundle["spec"],
            json::Value({{"signerName", "kubernetes.io/kubelet-serving"}, {"trustBundle", "one"}}));
  EXPECT_EQ(bundle["apiVersion"], "certificates.k8s.io/v1");
  EXPECT_EQ(Published(), std::string(kBundle) + "one\n") << "and no ConfigMap";
  PublishKubeletTrust(client_, "two");
  EXPECT_EQ(Published(), std::string(kBundle) + "two\n");
}

TEST_F(KubeletTrustTest, UsesV1beta1IfTheServerLacksV1) {
  LeaveOut(1);
  PublishKubeletTrust(client_, "one");
  EXPECT_EQ(Bundle(1)["apiVersion"], "certificates.k8s.io/v1beta1");
  EXPECT_EQ(Published(), std::string(kBundle) + "one\n");
}

TEST_F(KubeletTrustTest, PublishesAConfigMapWhereNoBundleIsServed) {
  LeaveOut(2);
  PublishKubeletTrust(client_, "one");
  EXPECT_EQ(Published(), std::string(kMap) + "one\n");
  UpdateKubeletTrust(client_, "two");
  EXPECT_EQ(Published(), std::string(kMap) + "two\n");
}

TEST_F(KubeletTrustTest, KeepsTheConfigMapOfAnOlderVersionCurrent) {
  json::Value map = {{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", {{"name", kKubeletTrustConfigMap}, {"namespace", "kube-system"}}},
                     {"data", {{"ca.crt", "old"}, {"other", "x"}}}};
  server_.Put(kube::resources::kConfigMap, map);
  PublishKubeletTrust(client_, "new");
  EXPECT_EQ(Published(), std::string(kBundle) + "new\n" + kMap + "new\n");
  EXPECT_EQ((*server_.Find(kube::resources::kConfigMap, "kube-system",
                           std::string(kKubeletTrustConfigMap)))["data"]["other"],
            "x");
}

TEST_F(KubeletTrustTest, UpdateCreatesNothing) {
  UpdateKubeletTrust(client_, "one");
  EXPECT_THAT(CollectKubeletTrust(client_), IsEmpty());
}

TEST_F(KubeletTrustTest, UpdateWritesOnlyAChange) {
  PublishKubeletTrust(client_, "one");
  const json::Value before = Bundle(0);
  UpdateKubeletTrust(client_, "one");
  EXPECT_EQ(Bundle(0), before);
}

TEST_F(KubeletTrustTest, FailsIfTheBundleIsRefused) {
  server_.Inject({.what = "POST /apis/certificates.k8s.io/v1/clustertrust",
                  .status = 403,
                  .reason = "Forbidden",
                  .message = "not permitted to attest for signerName",
                  .times = -1});
  EXPECT_EQ(base::Thrown([&] { PublishKubeletTrust(client_, "one"); }).kind(),
            Error::Kind::kForbidden);
  EXPECT_THAT(CollectKubeletTrust(client_), IsEmpty()) << "a ConfigMap is no substitute";
}

}  // namespace
}  // namespace objects
