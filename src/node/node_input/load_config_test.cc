// SPDX-License-Identifier: Apache-2.0
#include "node_input/load_config.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "config/version.h"
#include "host/fake_host.h"

namespace node_input {
namespace {

TEST(LoadInit, NeedsNoNetworkWithoutAFile) {
  host::FakeHost fake;
  const config::Init config =
      LoadInit(fake.host, "", {.apiserver_advertise_address = kAnyAddress, .cert_dir = "/pki"});
  EXPECT_EQ(config.init.local_api_endpoint.advertise_address, kAnyAddress);
  EXPECT_EQ(config.cluster.certificates_dir, "/pki");
  EXPECT_EQ(config.cluster.kubernetes_version, config::kKubeadmVersion);
}

TEST(LoadInit, KeepsTheRequestedVersion) {
  host::FakeHost fake;
  EXPECT_EQ(LoadInit(fake.host, "",
                     {.apiserver_advertise_address = kAnyAddress, .kubernetes_version = "v1.35.1"})
                .cluster.kubernetes_version,
            "v1.35.1");
}

TEST(LoadInit, ReadsAFile) {
  host::FakeHost fake;
  fake.files.Write("/init.yaml",
                   "apiVersion: kubeadm.k8s.io/v1beta4\nkind: InitConfiguration\n"
                   "localAPIEndpoint: {advertiseAddress: 10.1.2.3}\n---\n"
                   "apiVersion: kubeadm.k8s.io/v1beta4\nkind: ClusterConfiguration\n"
                   "kubernetesVersion: v1.35.0\n",
                   {});
  const config::Init config = LoadInit(fake.host, "/init.yaml", {.cert_dir = "/unread"});
  EXPECT_EQ(config.init.local_api_endpoint.advertise_address, "10.1.2.3");
  EXPECT_EQ(config.cluster.kubernetes_version, "v1.35.0");
  EXPECT_NE(config.cluster.certificates_dir, "/unread");
  EXPECT_THROW(LoadInit(fake.host, "/none.yaml"), base::Error);
}

}  // namespace
}  // namespace node_input
