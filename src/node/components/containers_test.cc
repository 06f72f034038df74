// SPDX-License-Identifier: Apache-2.0
#include "components/containers.h"

#include <gmock/gmock.h>

#include "cri/fake_runtime.h"

namespace components {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class ContainersTest : public testing::Test {
 protected:
  std::vector<std::string> Of(std::span<const Component> which) {
    std::vector<std::string> ids;
    for (const cri::Container& container : ContainersOf(which, runtime_)) {
      ids.push_back(container.id);
    }
    return ids;
  }
  void Run(const std::string& id, const std::string& name, const std::string& name_space,
           const std::string& source) {
    runtime_.sandboxes.push_back({.id = "pod-" + id,
                                  .name = name + "-" + id,
                                  .name_space = name_space,
                                  .annotations = {{"kubernetes.io/config.source", source}}});
    runtime_.containers.push_back({.id = id, .sandbox_id = "pod-" + id, .name = name});
  }
  cri::FakeRuntime runtime_;
};

TEST_F(ContainersTest, AreThoseOfTheStaticPod) {
  Run("node", "etcd", "kube-system", "file");
  Run("backup", "etcd", "kube-system", "api");
  Run("tenant", "etcd", "default", "api");
  Run("other", "etcd", "tenants", "file");
  Run("server", "kube-apiserver", "kube-system", "file");
  EXPECT_THAT(Of(std::array{Component::kEtcd}), ElementsAre("node"));
  EXPECT_THAT(Of(kComponents), ElementsAre("node", "server"));
  EXPECT_THAT(Of(std::array{Component::kScheduler}), IsEmpty());
}

}  // namespace
}  // namespace components
