// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/load.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace kubeconfigs {
namespace {

using testing::HasSubstr;

TEST(LoadKubeconfig, ReadsInWhatItNames) {
  host::FakeHost fake;
  fake.files.Write("/k/ca.crt", "CA", {});
  fake.files.Write("/abs/c.crt", "CERT", {});
  fake.files.Write("/k/c.key", "KEY", {});
  fake.files.Write("/k/conf",
                   "apiVersion: v1\nkind: Config\nclusters:\n- name: a\n  cluster:\n"
                   "    server: https://x:1\n    certificate-authority: ca.crt\nusers:\n- name: u\n"
                   "  user:\n    client-certificate: /abs/c.crt\n    client-key: c.key\n",
                   {});
  const kube::Kubeconfig config = LoadKubeconfig(fake.files, "/k/conf");
  EXPECT_EQ(config.clusters.at("a").certificate_authority_data, "CA");
  EXPECT_EQ(config.clusters.at("a").certificate_authority, "");
  EXPECT_EQ(config.users.at("u").client_certificate_data, "CERT");
  EXPECT_EQ(config.users.at("u").client_key_data, "KEY");
  fake.files.Write("/k/bad", "[", {});
  EXPECT_THAT(base::MessageOf([&] { LoadKubeconfig(fake.files, "/k/bad"); }), HasSubstr("/k/bad"));
}

TEST(UserPath, IsWhereKubectlLooks) {
  host::FakeHost fake;
  fake.environment.variables["HOME"] = "/root";
  EXPECT_EQ(UserPath(fake.host), "/root/.kube/config") << "the name to complain of";
  fake.files.Write("/etc/kubernetes/admin.conf", "", {});
  EXPECT_EQ(UserPath(fake.host), "/etc/kubernetes/admin.conf");
  fake.files.Write("/root/.kube/config", "", {});
  EXPECT_EQ(UserPath(fake.host), "/root/.kube/config");
  fake.environment.variables["KUBECONFIG"] = "/absent::/second";
  EXPECT_EQ(UserPath(fake.host), "/etc/kubernetes/admin.conf");
  fake.files.Write("/second", "", {});
  EXPECT_EQ(UserPath(fake.host), "/second");
}

}  // namespace
}  // namespace kubeconfigs
