#include "kubeconfigs/load.h"

#include <gmock/gmock.h>

#include "config/fake_facts.h"
#include "host/fake_host.h"

namespace kubeconfigs {
namespace {

using config::ErrorOf;
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
  EXPECT_THAT(ErrorOf([&] { LoadKubeconfig(fake.files, "/k/bad"); }), HasSubstr("/k/bad"));
}

}  // namespace
}  // namespace kubeconfigs
