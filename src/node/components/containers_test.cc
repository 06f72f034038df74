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
  // A container in a Pod, identified by its id; without annotations where `source` is "".
  void Run(const std::string& id, const std::string& name, const std::string& pod,
           const std::string& name_space, const std::string& source) {
    cri::Sandbox sandbox{.id = "pod-" + id, .name = pod, .name_space = name_space};
    if (!source.empty()) {
      sandbox.annotations.emplace("kubernetes.io/config.source", source);
    }
    runtime_.sandboxes.push_back(std::move(sandbox));
    runtime_.containers.push_back({.id = id, .sandbox_id = "pod-" + id, .name = name});
  }
  cri::FakeRuntime runtime_;
};

TEST_F(ContainersTest, BelongToTheStaticPod) {
  Run("node", "etcd", "etcd-cp", "kube-system", "file");
  Run("backup", "etcd", "etcd-backup", "kube-system", "api");
  Run("events", "etcd", "events-etcd-cp", "kube-system", "file");
  Run("tenant", "etcd", "etcd-0", "default", "api");
  Run("other", "etcd", "etcd-cp", "tenants", "file");
  Run("server", "kube-apiserver", "kube-apiserver-cp", "kube-system", "file");
  EXPECT_THAT(Of(std::array{Component::kEtcd}), ElementsAre("node"));
  EXPECT_THAT(Of(kComponents), ElementsAre("node", "server"));
  EXPECT_THAT(Of(std::array{Component::kScheduler}), IsEmpty());
}

TEST_F(ContainersTest, AreRecognizedByNameWithoutAnnotations) {
  runtime_.lists_annotations = false;
  Run("node", "etcd", "etcd-cp", "kube-system", "");
  Run("tenant", "etcd", "hosted-0", "kube-system", "");
  EXPECT_THAT(Of(kComponents), ElementsAre("node"));
}

TEST_F(ContainersTest, AreStoppedEvenIfTheRuntimeCannotRemoveThem) {
  Run("one", "etcd", "etcd-cp", "kube-system", "file");
  runtime_.Fail("RemoveContainer", base::Error(base::Error::Kind::kUnavailable, "busy"));
  EXPECT_NO_THROW(EndContainer("one", std::chrono::seconds(1), runtime_));
  EXPECT_EQ(runtime_.containers.at(0).state, cri::Container::State::kExited);
}

TEST_F(ContainersTest, AreNotRemovedAfterAnInterrupt) {
  Run("one", "etcd", "etcd-cp", "kube-system", "file");
  runtime_.Interrupt("RemoveContainer");
  EXPECT_THROW(EndContainer("one", std::chrono::seconds(1), runtime_), base::Interrupted);
}

}  // namespace
}  // namespace components
