// SPDX-License-Identifier: Apache-2.0
#include "config_change/edits.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "host/fake_host.h"

namespace config_change {
namespace {

using base::Thrown;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// A kubelet whose file differs from the wanted one.
Component Kubelet(int pods) {
  const json::Value should = {{"kind", "KubeletConfiguration"}, {"maxPods", 110}};
  json::Value disk = should;
  disk["maxPods"] = pods;
  return {.name = "kubelet",
          .node = "n",
          .place = "p",
          .kind = Kind::kSettings,
          .should = should,
          .disk = disk};
}

TEST(Edits, AreTheManualChanges) {
  EXPECT_THAT(EditsOf({Kubelet(110)}), IsEmpty());
  ASSERT_THAT(EditsOf({Kubelet(250)}), SizeIs(1));
  EXPECT_THAT(Line(EditsOf({Kubelet(250)})[0]), HasSubstr("maxPods"));
}

TEST(Edits, BlockAChange) {
  Gathered gathered;
  gathered.components = {Kubelet(110)};
  EXPECT_NO_THROW(RequireNoEdits(gathered));
  gathered.components.push_back(Kubelet(250));
  EXPECT_THAT(
      Thrown([&] { RequireNoEdits(gathered); }).message(),
      AllOf(HasSubstr("kubeadm drift --adopt"), HasSubstr("\nkubelet"), HasSubstr("maxPods")));
}

TEST(Drift, KeepsTheNotesOfTheCollection) {
  Gathered gathered;
  gathered.components = {Kubelet(250)};
  gathered.notes = {"a note"};
  gathered.unseen = {"etcd"};
  const Drift drift = DriftOf(gathered);
  EXPECT_THAT(drift.differences, SizeIs(1));
  EXPECT_THAT(drift.notes, ElementsAre("a note"));
  EXPECT_THAT(drift.unseen, ElementsAre("etcd"));
}

TEST(Patches, AreWrittenToSeparateFiles) {
  host::FakeHost fake;
  const std::vector<NewPatch> patches = {{.target = "etcd", .document = {{"a", 1}}},
                                         {.target = "etcd", .document = {{"b", 2}}}};
  const auto first = WritePatches(patches, "/patches", fake.files);
  EXPECT_THAT(first, ElementsAre("/patches/etcd-adopted001+strategic.yaml",
                                 "/patches/etcd-adopted002+strategic.yaml"));
  EXPECT_EQ(fake.files.Read(first[1]), "b: 2\n");
  EXPECT_EQ(fake.files.Stat(first[0])->mode, 0600U);
  EXPECT_EQ(fake.files.Stat("/patches")->mode, 0700U);
  EXPECT_THAT(WritePatches(patches, "/patches", fake.files),
              ElementsAre(HasSubstr("adopted003"), HasSubstr("adopted004")));
}

TEST(Edits, SavesTheEffectiveSettingsOfLostEdits) {
  host::FakeHost fake;
  const json::Value should{{"spec", {{"x", 1}}}};
  const json::Value other{{"spec", {{"x", 2}}}};
  const std::vector<Component> components{{.name = "kube-scheduler",
                                           .node = "n",
                                           .place = "/etc/kubernetes/manifests/x",
                                           .should = should,
                                           .disk = other},
                                          {.name = "etcd",
                                           .node = "n",
                                           .place = "/etc/kubernetes/manifests/y",
                                           .should = should,
                                           .disk = should},
                                          {.name = "coredns",
                                           .node = "",
                                           .place = "Deployment kube-system/coredns",
                                           .kind = Kind::kSettings,
                                           .should = should,
                                           .runs = other},
                                          {.name = "kubelet",
                                           .node = "n",
                                           .place = "/z",
                                           .kind = Kind::kSettings,
                                           .should = should,
                                           .disk = other,
                                           .at_upgrade = AtUpgrade::kLeft}};
  fake.files.MakeDirectories("/kept", 0700);
  KeepInForce(components, "/kept", fake.files);
  EXPECT_THAT(fake.files.List("/kept"),
              testing::UnorderedElementsAre("kube-scheduler.yaml", "deployment-coredns.yaml"));
  EXPECT_EQ(fake.files.Read("/kept/kube-scheduler.yaml"), "spec:\n  x: 2\n");
  EXPECT_EQ(LostBy(components).size(), 2U);
}

TEST(LeaveOut, RemovesEditsThatOthersLack) {
  std::vector<Difference> edits(3);
  edits[0].component = edits[1].component = "kube-scheduler";
  edits[0].field = "image";
  edits[1].field = edits[2].field = "command";
  edits[2].component = "etcd";
  std::vector<Difference> others{edits[1]};
  others[0].should = json::Value("another");
  LeaveOut(edits, others);
  ASSERT_EQ(edits.size(), 1U);
  EXPECT_EQ(edits[0].component, "kube-scheduler");
  EXPECT_EQ(edits[0].field, "command");
}

}  // namespace
}  // namespace config_change
