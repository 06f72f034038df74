// SPDX-License-Identifier: Apache-2.0
#include "backup/pod_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "yaml/yaml.h"

namespace backup {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

json::Value Pod() {
  return yaml::Parse(R"(
spec:
  containers:
  - command:
    - kube-apiserver
    - --encryption-provider-config=/etc/kubernetes/enc/config.yaml
    - --audit-policy-file=/audit/policy.yaml
    - --audit-log-path=/var/log/audit.log
    - --etcd-servers=https://127.0.0.1:2379
    - --tls-sni-cert-key=/etc/kubernetes/pki/sni.crt,/etc/kubernetes/pki/sni.key:a.example
    - --oidc-ca-file=/nowhere/ca.crt
    - --log-file=/var/log/apiserver.log
    volumeMounts:
    - {name: enc, mountPath: /etc/kubernetes/enc}
    - {name: audit, mountPath: /audit/policy.yaml}
    - {name: k8s-certs, mountPath: /etc/kubernetes/pki}
    - {name: all, mountPath: /etc/kubernetes/}
    - {name: scratch, mountPath: /etc/kubernetes/enc/scratch}
  volumes:
  - {name: enc, hostPath: {path: /srv/enc}}
  - {name: audit, hostPath: {path: /srv/policy.yaml}}
  - {name: k8s-certs, hostPath: {path: /etc/kubernetes/pki}}
  - {name: all, hostPath: {path: /srv/all}}
  - {name: scratch, emptyDir: {}}
)")
      .value;
}

std::vector<std::string> HostPaths(const std::vector<NamedFile>& files) {
  std::vector<std::string> paths;
  for (const NamedFile& file : files) {
    paths.push_back(file.flag + " " + file.host.string());
  }
  return paths;
}

TEST(PodFiles, MapsAPathByTheDeepestVolume) {
  EXPECT_EQ(HostPathOf(Pod(), "/etc/kubernetes/enc/config.yaml"), "/srv/enc/config.yaml");
  EXPECT_EQ(HostPathOf(Pod(), "/etc/kubernetes/other.yaml"), "/srv/all/other.yaml");
  EXPECT_EQ(HostPathOf(Pod(), "/audit/policy.yaml"), "/srv/policy.yaml");
  EXPECT_EQ(HostPathOf(Pod(), "/etc/kubernetes/enc/scratch/x"), std::nullopt);
  EXPECT_EQ(HostPathOf(Pod(), "/etc/passwd"), std::nullopt);
  EXPECT_EQ(HostPathOf(Pod(), "/etc/kubernetes/enc/../../passwd"), std::nullopt);
}

TEST(PodFiles, FindsTheFilesThatArgumentsRead) {
  EXPECT_THAT(HostPaths(FilesOfArguments(Pod())),
              ElementsAre("encryption-provider-config /srv/enc/config.yaml",
                          "audit-policy-file /srv/policy.yaml",
                          "tls-sni-cert-key /etc/kubernetes/pki/sni.crt",
                          "tls-sni-cert-key /etc/kubernetes/pki/sni.key", "oidc-ca-file "));
}

TEST(PodFiles, FindsTheFilesThatFilesName) {
  const NamedFile file{.flag = "admission-control-config-file",
                       .path = "/etc/kubernetes/enc/admission.yaml",
                       .host = "/srv/enc/admission.yaml"};
  EXPECT_THAT(HostPaths(FilesNamedIn(Pod(), file,
                                     "plugins:\n- {name: A, path: limits.yaml}\n"
                                     "- {name: B, path: /etc/kubernetes/enc/b.yaml}\n"
                                     "- {name: C, path: ../../elsewhere.yaml}\n"
                                     "rules: [/readyz]\n")),
              ElementsAre("admission-control-config-file /srv/enc/b.yaml",
                          "admission-control-config-file /srv/enc/limits.yaml"));
  EXPECT_THAT(FilesNamedIn(Pod(), file, "-----BEGIN CERTIFICATE-----\n"), IsEmpty());
}

TEST(PodFiles, NamesKmsPlugins) {
  EXPECT_THAT(
      KmsPluginsIn("resources:\n- providers:\n  - kms: {name: vault, endpoint: "
                   "'unix:///run/v.sock'}\n  - identity: {}\n"
                   "- providers:\n  - kms: {name: vault, endpoint: 'unix:///run/v.sock'}\n"),
      ElementsAre("vault at unix:///run/v.sock"));
  EXPECT_THAT(KmsPluginsIn("resources: 3"), IsEmpty());
}

}  // namespace
}  // namespace backup
