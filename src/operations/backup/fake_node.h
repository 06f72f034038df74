// SPDX-License-Identifier: Apache-2.0
// A control-plane node with an etcd, for tests of its backup.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <string>

#include "backup/collect.h"
#include "etcd/fake_client.h"
#include "host/fake_host.h"
#include "pki/certificate.h"
#include "pki/crypto.h"

namespace backup {

inline constexpr const char* kApiServer = R"(apiVersion: v1
kind: Pod
metadata:
  name: kube-apiserver
  annotations:
    kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 10.0.0.1:6443
spec:
  containers:
  - name: kube-apiserver
    image: registry.k8s.io/kube-apiserver:v1.37.2
    command:
    - kube-apiserver
    - --client-ca-file=/etc/kubernetes/pki/ca.crt
    - --encryption-provider-config=/etc/kubernetes/enc/enc.yaml
    volumeMounts:
    - {name: certs, mountPath: /etc/kubernetes/pki}
    - {name: enc, mountPath: /etc/kubernetes/enc}
  volumes:
  - {name: certs, hostPath: {path: /etc/kubernetes/pki}}
  - {name: enc, hostPath: {path: /srv/enc}}
)";

inline constexpr const char* kEtcd = R"(apiVersion: v1
kind: Pod
metadata: {name: etcd}
spec:
  containers:
  - name: etcd
    image: registry.k8s.io/etcd:3.7.0-0
    command: [etcd, --name=cp, "--initial-advertise-peer-urls=https://10.0.0.1:2380"]
  volumes:
  - {name: etcd-data, hostPath: {path: /var/lib/etcd}}
)";

inline pki::KeyPair NewPair(const std::string& name) {
  const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const std::chrono::sys_seconds now{std::chrono::seconds(1'800'000'000)};
  return {pki::NewSelfSignedCa({.subject = {.common_name = name, .organizations = {}},
                                .alt_names = {},
                                .usages = {},
                                .not_before = now,
                                .not_after = now + std::chrono::hours(1000)},
                               key),
          key};
}

// The files of the node are in `fake_`, and its certificates are self-signed.
class NodeTest : public testing::Test {
 protected:
  NodeTest() {
    host::FakeFiles& files = fake_.files;
    files.MakeDirectories("/backups", 0755);
    files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", kApiServer, {});
    files.Write("/etc/kubernetes/manifests/etcd.yaml", kEtcd, {});
    for (const char* name : {"ca", "apiserver"}) {
      const pki::KeyPair pair = NewPair(name);
      const host::fs::path directory("/etc/kubernetes/pki");
      files.Write(directory / (std::string(name) + ".crt"), pair.certificate.Pem(), {});
      files.Write(directory / (std::string(name) + ".key"), pair.key.Pem(), {.mode = 0600});
    }
    files.Write("/etc/kubernetes/kubelet.conf",
                "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts:\n- {name: c, context: "
                "{cluster: c, user: u}}\nclusters:\n- {name: c, cluster: {server: "
                "'https://10.0.0.1:6443'}}\nusers:\n- {name: u, user: {token: t}}\n",
                {});
    files.Write("/etc/kubernetes/tmp/old/file", "old", {});
    files.Write("/srv/enc/enc.yaml",
                "resources:\n- providers:\n  - kms: {name: vault, endpoint: 'unix:///v.sock'}\n",
                {});
    files.Write("/var/lib/kubelet/config.yaml", "kind: KubeletConfiguration\n", {});
    files.Write("/var/lib/kubelet/pki/kubelet-client-1.pem", "pem", {});
    // The kubelet creates this link with an absolute target.
    std::filesystem::create_symlink(
        "/var/lib/kubelet/pki/kubelet-client-1.pem",
        files.Location("/var/lib/kubelet/pki/kubelet-client-current.pem"));
    auto client = std::make_unique<etcd::FakeClient>();
    client->Start(1, "cp");
    etcd_ = client.get();
    access_.endpoints = {"https://gone:2379", "https://cp:2379"};
    access_.client = std::move(client);
  }

  CollectionInput Input() { return {.host = fake_.host, .created_by = "0.1.0", .stop = {}}; }

  host::FakeHost fake_;
  etcd::FakeClient* etcd_ = nullptr;
  EtcdAccess access_;
};

}  // namespace backup
