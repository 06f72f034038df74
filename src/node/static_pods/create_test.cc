// SPDX-License-Identifier: Apache-2.0
#include "static_pods/create.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "config/fake_facts.h"
#include "host/fake_host.h"

namespace static_pods {
namespace {

using components::Component;

using testing::HasSubstr;

TEST(FinishPod, ReturnsThePatchedPod) {
  host::FakeHost fake;
  const auto patches_of = [&](const std::string& text) {
    fake.files.MakeDirectories("/patches", 0755);
    fake.files.Write("/patches/kube-scheduler.yaml", text, {});
    return node_input::ReadPatches(fake.files, "/patches");
  };
  const json::Value pod = {{"apiVersion", "v1"},
                           {"kind", "Pod"},
                           {"spec", {{"containers", {{{"name", "kube-scheduler"}}}}}}};
  const auto finish = [&](const std::string& patch) {
    const node_input::PatchSet set = patches_of(patch);
    return FinishPod(Component::kScheduler, pod, {.patches = &set}).value;
  };
  EXPECT_EQ(finish("x: 1\nmetadata: {X: 1, labels: {a: b}}\nspec: {volumes: [], hostPID: false}"),
            finish("metadata: {labels: {a: b}}"));
  EXPECT_THAT(base::MessageOf([&] { finish("spec: {hostNetwork: maybe}"); }),
              HasSubstr("spec.hostNetwork: expected a boolean"));
  EXPECT_EQ(finish("spec: null")["spec"], (json::Value{{"containers", nullptr}}));
  const node_input::PatchSet good = patches_of(
      "spec:\n  containers:\n  - name: kube-scheduler\n    resources:\n"
      "      limits: {cpu: 2, memory: 1024Mi}\n");
  const node_input::Patched patched = FinishPod(Component::kScheduler, pod, {.patches = &good});
  EXPECT_EQ(json::At(patched.value["spec"]["containers"][0], {"resources", "limits"}).dump(),
            R"({"cpu":"2","memory":"1Gi"})");
  EXPECT_EQ(patched.value["status"], json::Value::object());

  const node_input::PatchSet other = patches_of("kind: Job\n");
  EXPECT_THAT(base::MessageOf([&] { FinishPod(Component::kScheduler, pod, {.patches = &other}); }),
              HasSubstr("could not patch the static Pod \"kube-scheduler\""));

  const node_input::PatchSet bad =
      patches_of("spec: {containers: [{name: kube-scheduler, resources: {limits: {cpu: much}}}]}");
  EXPECT_THAT(base::MessageOf([&] { FinishPod(Component::kScheduler, pod, {.patches = &bad}); }),
              HasSubstr("spec.containers[0].resources.limits.cpu: expected a quantity"));
}

}  // namespace
}  // namespace static_pods
