// SPDX-License-Identifier: Apache-2.0
#include "upgrade/dry_run_cluster.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "static_pods/static_pod.h"
#include "upgrade/policy.h"

namespace upgrade {
namespace {

TEST(ConnectDryRun, WithoutAKubeconfigAClusterIsSimulated) {
  host::FakeHost fake;
  kube::Client client(ConnectDryRun(fake.host, "/etc/kubernetes/admin.conf", [](const auto&) {}),
                      fake.clock, {.limit = std::chrono::milliseconds(100), .grace = {}});
  const json::Value pod = client.Get(kube::resources::kPod, "kube-system", "kube-apiserver-alpha");
  EXPECT_EQ(
      json::TextAt(pod, {"metadata", "annotations", static_pods::kApiServerEndpointAnnotation}),
      "0.0.0.0:6443");
  EXPECT_NO_THROW(ApiServerVersion(client));
}

TEST(ConnectDryRun, AClusterThatDoesNotAnswerIsNamed) {
  host::FakeHost fake;
  fake.files.Write("/etc/kubernetes/admin.conf", "not a kubeconfig", {});
  const base::Error error = base::Thrown(
      [&] { ConnectDryRun(fake.host, "/etc/kubernetes/admin.conf", [](const auto&) {}); });
  EXPECT_THAT(error.message(), testing::HasSubstr("/etc/kubernetes/admin.conf"));
}

}  // namespace
}  // namespace upgrade
