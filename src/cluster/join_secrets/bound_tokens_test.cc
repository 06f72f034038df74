// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/bound_tokens.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "join_secrets/tokens.h"
#include "kube/fake_cluster.h"
#include "kube/objects.h"
#include "node_identities/cluster.h"

namespace join_secrets {
namespace {

using node_identities::FetchIdentities;
using node_identities::TokenBinding;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'767'225'600)};

class BoundTokens : public kube::FakeCluster {
 protected:
  static TokenBinding To(const std::string& node, const std::string& id = "abcdef") {
    return {.token_id = id, .node = node, .created = kNow};
  }
  void Create(const TokenBinding& binding, const std::string& description = "") {
    CreateBoundToken(client_,
                     {.token = binding.token_id + ".0123456789abcdef",
                      .description = description,
                      .groups = {std::string(node_identities::kBoundTokenGroup)}},
                     binding, kNow);
  }
  void Allow() { node_identities::StoreOnlyBoundTokens(client_, true); }
  std::string Text(const std::string& id, const char* key) {
    return kube::SecretValue(Stored(kube::resources::kSecret, TokenSecretName(id)), key)
        .value_or("");
  }
};

TEST_F(BoundTokens, AreCreatedAfterTheirBinding) {
  Allow();
  Create(To("worker-1"));
  const auto identities = FetchIdentities(client_);
  ASSERT_NE(identities.FindBinding("abcdef"), nullptr);
  EXPECT_EQ(identities.FindBinding("abcdef")->node, "worker-1");
  EXPECT_EQ(Text("abcdef", "description"), "bound to node worker-1");
  EXPECT_EQ(Text("abcdef", "auth-extra-groups"), "system:bootstrappers:kubeadm:node-bound-token");
  std::vector<std::string> writes = Writes();
  ASSERT_THAT(writes, SizeIs(3));
  EXPECT_EQ(writes[1], "PATCH kubeadm-node-identities");
  EXPECT_EQ(writes[2], "POST secrets");
  Create(To("worker-2", "ghijkl"), "rack 4");
  EXPECT_EQ(Text("ghijkl", "description"), "rack 4 (bound to node worker-2)");
}

TEST_F(BoundTokens, RequireAClusterThatEnablesThem) {
  const base::Error error = base::Thrown([&] { Create(To("worker-1")); });
  EXPECT_THAT(error.message(), HasSubstr("nodeBoundTokens.enabled=true"));
  EXPECT_EQ(Stored(kube::resources::kSecret, TokenSecretName("abcdef")), nullptr);
}

TEST_F(BoundTokens, KeepTheExistingBindingIfTheIdExists) {
  Allow();
  Create(To("worker-1"));
  EXPECT_EQ(base::Thrown([&] { Create(To("worker-2")); }).kind(),
            base::Error::Kind::kAlreadyExists);
  EXPECT_EQ(FetchIdentities(client_).FindBinding("abcdef")->node, "worker-1");
}

TEST_F(BoundTokens, AreRefusedForWithdrawnNodes) {
  Allow();
  node_identities::StoreWithdrawal(client_, {.node = "worker-1", .since = kNow});
  EXPECT_THAT(base::Thrown([&] { Create(To("worker-1")); }).message(),
              HasSubstr("kubeadm node admit worker-1"));
}

TEST_F(BoundTokens, KeepTheirBindingAfterDeletionOnlyIfItLimitsAddresses) {
  Allow();
  TokenBinding bounding = To("worker-1", "aaaaaa");
  bounding.cidrs = {net::Cidr::Parse("10.0.0.0/24").value()};
  Create(bounding);
  Create(To("worker-2", "bbbbbb"));
  for (const char* id : {"aaaaaa", "bbbbbb"}) {
    DeleteToken(client_, id);
    RemoveBinding(client_, id);
  }
  EXPECT_NE(FetchIdentities(client_).FindBinding("aaaaaa"), nullptr);
  EXPECT_EQ(FetchIdentities(client_).FindBinding("bbbbbb"), nullptr);
  server_.Put(kube::resources::kNode, {{"metadata", {{"name", "worker-1"}}}});
  Create(To("worker-3", "cccccc"));
  EXPECT_NE(FetchIdentities(client_).FindBinding("aaaaaa"), nullptr) << "its node exists";
  client_.Delete({kube::resources::kNode, "", "worker-1"});
  Create(To("worker-4", "dddddd"));
  EXPECT_EQ(FetchIdentities(client_).FindBinding("aaaaaa"), nullptr);
  EXPECT_NE(FetchIdentities(client_).FindBinding("cccccc"), nullptr) << "its token exists";
}

}  // namespace
}  // namespace join_secrets
