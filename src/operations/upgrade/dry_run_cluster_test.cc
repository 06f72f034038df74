// SPDX-License-Identifier: Apache-2.0
#include "upgrade/dry_run_cluster.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "control_plane/running.h"
#include "host/fake_host.h"
#include "stored_config/this_node.h"

namespace upgrade {
namespace {

TEST(ConnectDryRun, WithoutAKubeconfigAClusterIsSimulated) {
  host::FakeHost fake;
  kube::Client client(ConnectDryRun(fake.host, "/etc/kubernetes/admin.conf", [](const auto&) {}),
                      fake.clock, {.limit = std::chrono::milliseconds(100), .grace = {}});
  const config::InitConfiguration node =
      stored_config::FetchNode(client, "alpha", stored_config::Role::kControlPlane);
  EXPECT_EQ(node.local_api_endpoint.advertise_address, "0.0.0.0");
  EXPECT_NO_THROW(control_plane::CollectApiServerVersion(client));
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
