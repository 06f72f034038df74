// SPDX-License-Identifier: Apache-2.0
#include "join_secrets/cluster_info.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "kube/fake_cluster.h"

namespace join_secrets {
namespace {

using kube::resources::kConfigMap;
using testing::HasSubstr;
using namespace std::chrono_literals;

using PublicClusterInfo = kube::FakeCluster;

kube::Kubeconfig Admin(const std::string& ca) {
  kube::Kubeconfig admin;
  admin.clusters["kubernetes"] = {.server = "https://lb.example.org:6443",
                                  .certificate_authority_data = ca};
  admin.contexts["c"] = {.cluster = "kubernetes", .user = "u"};
  admin.users["u"] = {.token = "secret"};
  admin.current_context = "c";
  return admin;
}

TEST(ClusterInfo, HasOnlyTheCluster) {
  EXPECT_EQ(ClusterInfoKubeconfig(Admin("ca")).Text(),
            "apiVersion: v1\nclusters:\n- cluster:\n    certificate-authority-data: Y2E=\n"
            "    server: https://lb.example.org:6443\n  name: \"\"\ncontexts: null\n"
            "current-context: \"\"\nkind: Config\nusers: null\n");
  EXPECT_THAT(base::MessageOf([] { ClusterInfoKubeconfig({}); }), HasSubstr("no cluster"));
}

TEST_F(PublicClusterInfo, IsReadableWithoutCredentials) {
  kube::Kubeconfig admin;
  admin.clusters["k"] = {.server = "https://a:1", .certificate_authority_data = "ca"};
  admin.contexts["c"] = {.cluster = "k"};
  admin.current_context = "c";
  PutClusterInfo(client_, admin);
  ApplyClusterInfoRbac(client_);
  EXPECT_THAT(
      json::TextAt(Stored(kConfigMap, "cluster-info", "kube-public"), {"data", "kubeconfig"}),
      HasSubstr("server: https://a:1"));
  EXPECT_EQ(Stored(kube::resources::kRoleBinding, "kubeadm:bootstrap-signer-clusterinfo",
                   "kube-public")["subjects"]
                .dump(),
            R"([{"kind":"User","name":"system:anonymous"}])");
}

}  // namespace
}  // namespace join_secrets
