// SPDX-License-Identifier: Apache-2.0
#include "config_change/cluster_lease.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"
#include "json/value.h"
#include "kube/fake_server.h"
#include "stored_config/fetch.h"

namespace config_change {
namespace {

TEST(ClusterLease, IsHeldDuringItsLifetime) {
  host::FakeHost fake;
  kube::FakeApiServer server;
  kube::Client client(server.NewTransport(), fake.clock, {});
  const auto holder = [&] {
    const auto lease = server.Find(kube::resources::kLease, "kube-system", "kubeadm-config-apply");
    return json::TextAt(lease.value_or(json::Value()), {"spec", "holderIdentity"});
  };
  const base::ShowLine no_message = [](const std::string& line) { ADD_FAILURE() << line; };
  {
    const ClusterLease lease(client, fake.host, "cp-one", no_message);
    EXPECT_EQ(holder(), "cp-one");
  }
  EXPECT_EQ(holder(), "");
  const ClusterLease next(client, fake.host, "cp-two", no_message);
  EXPECT_EQ(holder(), "cp-two");
}

TEST(RequireStored, RefusesAPlanThatIsOld) {
  host::FakeHost fake;
  kube::FakeApiServer server;
  const auto put = [&](const char* name, const char* key, const char* text) {
    server.Put(
        kube::resources::kConfigMap,
        {{"metadata", {{"name", name}, {"namespace", "kube-system"}}}, {"data", {{key, text}}}});
  };
  put("kubeadm-config", "ClusterConfiguration", "clusterName: a");
  put("kubelet-config", "kubelet", "maxPods: 1");
  put("kube-proxy", "config.conf", "mode: nftables");
  kube::Client client(server.NewTransport(), fake.clock, {});
  const config::StoredConfig planned = stored_config::FetchStoredConfig(client);
  EXPECT_NO_THROW(RequireStored(planned, client));
  put("kubelet-config", "kubelet", "maxPods: 2");
  EXPECT_THAT(base::Thrown([&] { RequireStored(planned, client); }).message(),
              testing::HasSubstr("run the command again"));
}

TEST(ClusterLease, GivesUpAnApiServerThatDoesNotAnswerForAMinute) {
  host::FakeHost fake;
  kube::FakeApiServer server;
  server.Inject({.what = "GET /apis/coordination.k8s.io",
                 .status = 503,
                 .reason = "ServiceUnavailable",
                 .message = "it restarts",
                 .times = -1});
  kube::Client client(server.NewTransport(), fake.clock, {});
  std::vector<std::string> said;
  const auto begin = fake.clock.Steady();
  const base::Error error = base::Thrown([&] {
    const ClusterLease lease(client, fake.host, "cp-one",
                             [&](const std::string& line) { said.push_back(line); });
  });
  EXPECT_EQ(error.kind(), base::Error::Kind::kUnavailable);
  EXPECT_GE(fake.clock.Steady() - begin, std::chrono::minutes(1));
  EXPECT_THAT(said, testing::ElementsAre(testing::HasSubstr("kubeadm-config-apply: it restarts")))
      << "once, not every two seconds";
}

TEST(ClusterLease, NamesTheHolderItWaitsFor) {
  host::FakeHost fake;
  kube::FakeApiServer server;
  server.Put(kube::resources::kLease,
             {{"metadata", {{"name", "kubeadm-config-apply"}, {"namespace", "kube-system"}}},
              {"spec", {{"holderIdentity", "cp-one"}, {"leaseDurationSeconds", 30}}}});
  kube::Client client(server.NewTransport(), fake.clock, {});
  std::vector<std::string> said;
  // Node cp-one never renews its Lease, so the Lease expires.
  const ClusterLease lease(client, fake.host, "cp-two",
                           [&](const std::string& line) { said.push_back(line); });
  EXPECT_THAT(said, testing::ElementsAre("Waiting for cp-one, which is being changed"));
}

}  // namespace
}  // namespace config_change
