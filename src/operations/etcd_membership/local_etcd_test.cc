// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/local_etcd.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace etcd_membership {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr const char* kManifest = "/etc/kubernetes/manifests/etcd.yaml";
constexpr const char* kPod = R"(apiVersion: v1
kind: Pod
metadata: {name: etcd}
spec:
  containers:
  - name: etcd
    command:
    - etcd
    - --advertise-client-urls=https://10.0.0.1:2379
    - --initial-advertise-peer-urls=https://10.0.0.1:2380,https://[fd00::1]:2380
    - --name=one
    - --initial-cluster=zero=https://10.0.0.9:2380,one=https://10.0.0.1:2380,one=https://[fd00::1]:2380
    - --trusted-ca-file=/pki/etcd/ca.crt
  volumes:
  - {name: etcd-certs, hostPath: {path: /pki/etcd}}
  - {name: etcd-data, hostPath: {path: /data/etcd}}
)";

TEST(LocalEtcd, IsReadFromTheManifest) {
  host::FakeHost fake;
  EXPECT_FALSE(FindEtcd(fake.files).local);
  EXPECT_EQ(FindEtcd(fake.files).broken, "");
  fake.files.Write(kManifest, kPod, {});
  EXPECT_EQ(FindEtcd(fake.files).local, (LocalEtcd{.peer_url = "https://10.0.0.1:2380",
                                                   .client_url = "https://10.0.0.1:2379",
                                                   .certificates_dir = "/pki/etcd",
                                                   .data_dir = "/data/etcd",
                                                   .other_peers = {"https://10.0.0.9:2380"}}));
  for (const char* text :
       {"spec: {volumes: [", "{apiVersion: v1, kind: ConfigMap}", "{apiVersion: v2, kind: Pod}",
        "{apiVersion: v1, kind: Pod, spec: {containers: x}}"}) {
    fake.files.Write(kManifest, text, {});
    EXPECT_FALSE(FindEtcd(fake.files).local) << text;
    EXPECT_THAT(FindEtcd(fake.files).broken, HasSubstr("etcd.yaml")) << text;
  }
}

TEST(DataDirectory, ComesFromTheManifestThenTheClusterThenTheDefault) {
  config::ClusterConfiguration local;
  local.etcd.local.emplace();
  local.etcd.local->data_dir = "/cluster";
  config::ClusterConfiguration external;
  external.etcd.external.emplace();
  const EtcdState absent;
  const EtcdState present{.local = LocalEtcd{.data_dir = "/manifest"}};
  const EtcdState without_volume{.local = LocalEtcd{}};
  const EtcdState broken{.broken = "line 1"};
  struct Case {
    const char* name;
    const EtcdState& etcd;
    const config::ClusterConfiguration* cluster;
    std::optional<fs::path> path;
    bool guessed;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"manifest, cluster", present, &local, "/manifest", false},
           {"manifest without the volume, cluster", without_volume, &local, "/cluster", false},
           {"external", present, &external, std::nullopt, false},
           {"manifest", present, nullptr, "/manifest", false},
           {"manifest without the volume", without_volume, nullptr, std::nullopt, false},
           {"broken", broken, nullptr, std::nullopt, false},
           {"broken, cluster", broken, &local, "/cluster", false},
           {"nothing", absent, nullptr, "/var/lib/etcd", true},
       }) {
    const DataDirectory directory = DataDirectoryOf(c.etcd, c.cluster);
    EXPECT_EQ(directory.path, c.path) << c.name;
    EXPECT_EQ(directory.guessed, c.guessed) << c.name;
  }
}

TEST(Endpoints, PutTheNodesOwnLast) {
  const std::vector<etcd::Member> members = {
      {.id = 1, .client_urls = {"https://a"}}, {.id = 2}, {.id = 3, .client_urls = {"https://c"}}};
  EXPECT_THAT(MemberEndpoints(members), ElementsAre("https://a", "https://c"));
  EXPECT_THAT(OwnLast(MemberEndpoints(members), "https://a"),
              ElementsAre("https://c", "https://a"));
  EXPECT_THAT(OwnLast({"https://b"}, "https://a"), ElementsAre("https://b"));
}

TEST(ClientPair, NamesTheFileThatIsMissing) {
  host::FakeHost fake;
  fake.files.Write("/pki/etcd/ca.crt", "CA", {});
  fake.files.Write("/pki/etcd/healthcheck-client.crt", "CERT", {});
  const base::Error error = base::Thrown([&] { ReadClientPair(fake.files, "/pki/etcd"); });
  EXPECT_THAT(error.message(), HasSubstr("healthcheck-client.key"));
  fake.files.Write("/pki/etcd/healthcheck-client.key", "KEY", {});
  const etcd::Connection pair = ReadClientPair(fake.files, "/pki/etcd");
  EXPECT_EQ(pair.ca_pem + pair.certificate_pem + pair.key_pem, "CACERTKEY");
}

}  // namespace
}  // namespace etcd_membership
