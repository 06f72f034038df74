// SPDX-License-Identifier: Apache-2.0
#include "node_input/running_runtimes.h"

#include <gmock/gmock.h>

#include "host/fake_host.h"

namespace node_input {
namespace {

TEST(RunningRuntimes, IgnoresASocketWithoutAListener) {
  host::FakeHost fake;
  fake.files.Write("/var/run/containerd/containerd.sock", "", {});
  fake.network.listening = {"/var/run/crio/crio.sock", "/run/other.sock"};
  EXPECT_THAT(RunningRuntimes(fake.network),
              testing::ElementsAre("unix:///var/run/crio/crio.sock"));
}

}  // namespace
}  // namespace node_input
