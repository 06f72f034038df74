// SPDX-License-Identifier: Apache-2.0
#include "kubelet/local_runtime.h"

#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace kubelet {
namespace {

TEST(LocalCriSocket, PrefersTheInstanceConfiguration) {
  host::FakeHost fake;
  EXPECT_EQ(LocalCriSocket(fake.host), "unix:///var/run/containerd/containerd.sock");
  fake.network.listening.insert("/var/run/crio/crio.sock");
  EXPECT_EQ(LocalCriSocket(fake.host), "unix:///var/run/crio/crio.sock");
  fake.files.Write("/var/lib/kubelet/kubeadm-flags.env",
                   "KUBELET_KUBEADM_ARGS=\"--container-runtime-endpoint=unix:///flag.sock\"\n", {});
  EXPECT_EQ(LocalCriSocket(fake.host), "unix:///flag.sock");
  fake.files.Write("/var/lib/kubelet/config.yaml", "containerRuntimeEndpoint: unix:///conf.sock\n",
                   {});
  EXPECT_EQ(LocalCriSocket(fake.host), "unix:///conf.sock");
  fake.files.Write("/var/lib/kubelet/instance-config.yaml",
                   "containerRuntimeEndpoint: unix:///own.sock\n", {});
  EXPECT_EQ(LocalCriSocket(fake.host), "unix:///own.sock");
}

TEST(LocalCriSocket, IgnoresAnEmptyEntry) {
  host::FakeHost fake;
  fake.files.Write("/var/lib/kubelet/config.yaml", "containerRuntimeEndpoint: \"\"\n", {});
  fake.files.Write("/var/lib/kubelet/kubeadm-flags.env",
                   "KUBELET_KUBEADM_ARGS=\"--container-runtime-endpoint=\"\n", {});
  EXPECT_EQ(CriSocketOnDisk(fake.files), std::nullopt);
  EXPECT_EQ(LocalCriSocket(fake.host), "unix:///var/run/containerd/containerd.sock");
}

TEST(LocalCriSocket, NamesAnInvalidYamlFile) {
  host::FakeHost fake;
  fake.files.Write("/var/lib/kubelet/config.yaml", "a: [\n", {});
  const base::Error error = base::Thrown([&] { LocalCriSocket(fake.host); });
  EXPECT_NE(error.message().find("/var/lib/kubelet/config.yaml"), std::string::npos);
}

}  // namespace
}  // namespace kubelet
