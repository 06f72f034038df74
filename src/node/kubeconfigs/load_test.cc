// SPDX-License-Identifier: Apache-2.0
#include "kubeconfigs/load.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace kubeconfigs {
namespace {

using testing::HasSubstr;

TEST(LoadKubeconfig, EmbedsTheFilesThatItNames) {
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

TEST(LoadKubeconfig, IgnoresMissingUnusedFiles) {
  host::FakeHost fake;
  fake.files.Write("/k/ca.crt", "CA", {});
  const auto write = [&](const std::string& current) {
    fake.files.Write("/k/conf",
                     "clusters: [{name: a, cluster: {server: 'https://x:1', certificate-authority: "
                     "ca.crt}}, {name: z, cluster: {server: 'https://z:1', certificate-authority: "
                     "/gone}}]\nusers: [{name: u, user: {token: t}}, {name: z, user: "
                     "{client-certificate: /gone, client-key: /gone}}]\ncontexts: [{name: a, "
                     "context: {cluster: a, user: u}}, {name: z, context: {cluster: z, user: u}}, "
                     "{name: w, context: {cluster: a, user: z}}]\ncurrent-context: " +
                         current,
                     {});
  };
  write("a");
  const kube::Kubeconfig config = LoadKubeconfig(fake.files, "/k/conf");
  EXPECT_EQ(config.clusters.at("a").certificate_authority_data, "CA");
  EXPECT_EQ(config.clusters.at("z").certificate_authority, "/gone");
  for (const std::string current : {"z", "w"}) {
    write(current);
    EXPECT_THAT(base::MessageOf([&] { LoadKubeconfig(fake.files, "/k/conf"); }), HasSubstr("/gone"))
        << current;
  }
}

TEST(LoadKubeconfig, TheWorkingDirectoryComesLast) {
  const host::TemporaryDirectory directory;
  host::RealFiles files;
  const host::fs::path before = host::fs::current_path();
  files.Write(directory.path() / "sub/ca.crt", "beside", {});
  files.Write(directory.path() / "sub/conf",
              "clusters: [{name: a, cluster: {server: 'https://x:1', certificate-authority: "
              "ca.crt}}]",
              {});
  host::fs::current_path(directory.path());
  const auto read = [&] {
    return LoadKubeconfig(files, "sub/conf").clusters.at("a").certificate_authority_data;
  };
  files.Write("ca.crt", "here", {});
  EXPECT_EQ(read(), "beside") << "whoever may write here is not trusted";
  files.Remove("sub/ca.crt");
  EXPECT_EQ(read(), "here");
  host::fs::current_path(before);
}

TEST(UserPath, FollowsTheRulesOfKubectl) {
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
