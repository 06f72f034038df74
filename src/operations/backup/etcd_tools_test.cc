// SPDX-License-Identifier: Apache-2.0
#include "backup/etcd_tools.h"

#include <gmock/gmock.h>

#include "cri/fake_runtime.h"
#include "host/fake_host.h"

namespace backup {
namespace {

TEST(ToolsOfImage, RemovesOnlyPodsThatARunWithItsDirectoryHasLeft) {
  host::FakeHost fake;
  cri::FakeRuntime runtime;
  std::string name;
  runtime.on_start = [&](const cri::OneOff& container) {
    name = container.name;
    return 0;
  };
  ToolsOfImage(fake.host, runtime, "etcd:1", {"/scratch"})->Run({"etcdutl"}, {});
  runtime.sandboxes = {{.id = "left", .name = name, .name_space = "default"},
                       {.id = "other", .name = "slipway-00000000-1", .name_space = "default"},
                       {.id = "etcd", .name = "etcd-cp", .name_space = "kube-system"}};
  ToolsOfImage(fake.host, runtime, "etcd:1", {"/elsewhere"});
  EXPECT_EQ(runtime.sandboxes.size(), 3U);
  ToolsOfImage(fake.host, runtime, "etcd:1", {"/scratch"});
  ASSERT_EQ(runtime.sandboxes.size(), 2U);
  EXPECT_EQ(runtime.sandboxes.front().id, "other");
}

}  // namespace
}  // namespace backup
