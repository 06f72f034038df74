// SPDX-License-Identifier: Apache-2.0
#include "engine/step_context.h"

#include <gmock/gmock.h>

#include "engine/operation.h"
#include "static_pods/fake_kubelet.h"
#include "workflow/resume.h"

namespace engine {
namespace {

using components::Component;
using testing::ElementsAre;
using testing::UnorderedElementsAre;

json::Value Pod(Component component, const std::string& image) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"name", components::Name(component)}}},
          {"spec", {{"containers", {{{"name", components::Name(component)}, {"image", image}}}}}}};
}

// An operation that replaces the controller manager, then the scheduler, of a running node.
class PodsTest : public testing::Test {
 protected:
  PodsTest() {
    for (const Component component : components::kComponents) {
      static_pods::WriteManifest(fake_.files, component, Pod(component, "old"));
    }
    kubelet_.Containers(cri::AnyContainer);
    kubelet_.started.clear();
  }

  Step Replacing(Component component) {
    return {.id = std::string(components::Name(component)),
            .line = "replace a Pod",
            .apply = [this, component](StepContext& context) {
              const static_pods::Replacement pod{.component = component,
                                                 .pod = Pod(component, "new")};
              context.ReplacePods(std::span(&pod, 1), Restart(context));
            }};
  }
  Operation Made() {
    Operation operation{
        .name = "test",
        .tag = "test",
        .steps = {Replacing(Component::kControllerManager), Replacing(Component::kScheduler)},
        .can_roll_back = true};
    operation.steps.front().rollback = [this](StepContext& context) {
      context.RestorePods(Restart(context));
    };
    return operation;
  }
  static_pods::RestartContext Restart(StepContext& context) {
    static_pods::RestartContext restart = context.RestartBy(kubelet_, [](Component) {
      return [](std::stop_token) -> std::optional<kube::NotYet> { return std::nullopt; };
    });
    restart.limit = std::chrono::milliseconds(60);
    return restart;
  }
  std::string Manifest(Component component) const {
    return fake_.files.Read(components::ManifestPath(component));
  }
  OperationDeps With() { return {.host = fake_.host, .reporter = reporter_}; }

  host::FakeHost fake_;
  static_pods::FakeKubelet kubelet_{fake_.files};
  workflow::Reporter reporter_{fake_.clock, {}};
};

TEST_F(PodsTest, AreBackedUpReplacedAndRestoredTogether) {
  const std::string before = Manifest(Component::kScheduler);
  engine::Run(Made(), {}, With());
  EXPECT_THAT(kubelet_.started, ElementsAre("kube-controller-manager new", "kube-scheduler new"));
  const Journal journal = LoadJournal(fake_.files, "test").value();
  const FileBackup* backup = journal.FindBackup(components::ManifestPath(Component::kScheduler));
  ASSERT_NE(backup, nullptr);
  EXPECT_EQ(fake_.files.Read(backup->copy), before);
  EXPECT_EQ(backup->written, workflow::FileHash(Manifest(Component::kScheduler)));
  EXPECT_TRUE(ChangedFiles(journal, fake_.files).empty());
  kubelet_.started.clear();
  Rollback(Made(), journal, With());
  EXPECT_THAT(kubelet_.started,
              UnorderedElementsAre("kube-controller-manager old", "kube-scheduler old"));
  EXPECT_EQ(Manifest(Component::kScheduler), before);
}

TEST_F(PodsTest, AreRestoredFromTheFirstBackup) {
  Operation operation = Made();
  operation.steps[1] = operation.steps[0];
  operation.steps[1].id = "again";
  engine::Run(operation, {}, With());
  Rollback(operation, LoadJournal(fake_.files, "test").value(), With());
  EXPECT_EQ(static_pods::FirstImage(
                static_pods::ReadManifest(fake_.files, Component::kControllerManager).value()),
            "old");
}

}  // namespace
}  // namespace engine
