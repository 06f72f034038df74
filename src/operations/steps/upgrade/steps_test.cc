// SPDX-License-Identifier: Apache-2.0
#include "steps/upgrade/steps.h"

#include <gmock/gmock.h>

#include "backup/upgrade_backup.h"
#include "backup/writer.h"
#include "base/error.h"
#include "base/fake_error.h"
#include "components/table.h"
#include "config_change/adopt.h"
#include "config_change/journal.h"
#include "host/fake_host.h"
#include "workflow/fake_context.h"

namespace upgrade_steps {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class UpgradeStepsTest : public testing::Test {
 protected:
  void AnswerWith(bool yes) {
    data_.confirm = [this, yes](const std::string& question) {
      questions_.push_back(question);
      return yes;
    };
  }

  host::FakeHost fake_;
  std::unique_ptr<steps::World> machine_ = steps::ChooseWorld(fake_.host, false, {});
  UpgradeData data_{UpgradeData::Command::kNode, *machine_};
  workflow::FakeContext context_;
  std::vector<std::string> questions_;
};

TEST_F(UpgradeStepsTest, OnlyAnAnswerOfYesIsConsent) {
  AnswerWith(false);
  EXPECT_THROW(RequireConsent(data_), base::Error);
  AnswerWith(true);
  EXPECT_NO_THROW(RequireConsent(data_));
  EXPECT_EQ(questions_.size(), 2U);
}

TEST_F(UpgradeStepsTest, DoesNotAskWithYes) {
  AnswerWith(false);
  data_.upgrade_options.yes = true;
  EXPECT_NO_THROW(RequireConsent(data_));
  EXPECT_THAT(questions_, IsEmpty());
}

TEST_F(UpgradeStepsTest, AWorkerHasNoControlPlaneToUpgrade) {
  EXPECT_FALSE(data_.ControlPlane());
  UpgradeControlPlane(data_, context_);
  UpgradeKubeconfig(data_, context_);
  UpgradeCoreDns(data_, context_);
  UpgradeKubeProxy(data_, context_);
  EXPECT_THAT(context_.lines,
              testing::AllOf(testing::SizeIs(4), testing::Each(HasSubstr("no control plane"))));
}

TEST_F(UpgradeStepsTest, KeepsTheKubeletUnlessTheUserNamesANewOne) {
  BringKubelet(data_, context_);
  EXPECT_THAT(context_.lines, IsEmpty());
  EXPECT_THAT(fake_.processes.changes(), IsEmpty());
}

TEST_F(UpgradeStepsTest, UsesTheClustersVersionUnlessTheUserNamesOne) {
  data_.config.cluster.kubernetes_version = "v1.36.3";
  EXPECT_EQ(data_.Version(), "v1.36.3");
  UpgradeData apply(UpgradeData::Command::kApply, *machine_);
  apply.config.cluster.kubernetes_version = "v1.36.3";
  apply.wanted_version = "v1.37.2";
  EXPECT_EQ(apply.Version(), "v1.37.2");
}

TEST_F(UpgradeStepsTest, ANodeWithAnApiServerIsAControlPlane) {
  fake_.files.Write(components::ManifestPath(components::Component::kApiServer), "{}", {});
  EXPECT_TRUE(data_.ControlPlane());
  EXPECT_TRUE(UpgradeData(UpgradeData::Command::kApply, *machine_).ControlPlane());
}

TEST_F(UpgradeStepsTest, UsesAdoptedPatchesIfTheUserNamesNone) {
  UseAdoptedPatches(data_);
  EXPECT_EQ(data_.options.patches_directory, "");
  fake_.files.Write(fs::path(config_change::kAdoptedPatches) / "etcd.yaml", "{}", {});
  data_.options.patches_directory = "/own";
  UseAdoptedPatches(data_);
  EXPECT_EQ(data_.options.patches_directory, "/own");
  data_.options.patches_directory.clear();
  UseAdoptedPatches(data_);
  EXPECT_EQ(data_.options.patches_directory, config_change::kAdoptedPatches);
}

TEST_F(UpgradeStepsTest, DoesNotAskWhenDriftIsDiscarded) {
  data_.upgrade_options.discard_drift = true;
  HandleDrift(data_, context_);
  EXPECT_THAT(context_.warnings, IsEmpty());
}

TEST_F(UpgradeStepsTest, LosesEditsOnlyWithConsent) {
  UpgradeData apply(UpgradeData::Command::kApply, *machine_);
  apply.confirm = [this](const std::string& question) {
    questions_.push_back(question);
    return false;
  };
  EXPECT_THROW(RequireLeave(apply, 2), base::Error);
  EXPECT_THAT(questions_, ElementsAre(HasSubstr("May these changes be lost?")));
  apply.upgrade_options.lose_edits = true;
  EXPECT_NO_THROW(RequireLeave(apply, 2));
  apply.upgrade_options.lose_edits = false;
  apply.upgrade_options.force = true;
  EXPECT_NO_THROW(RequireLeave(apply, 2));
  apply.upgrade_options.force = false;
  apply.Record().under_way["etcd"] = "/etc/kubernetes/tmp/x";
  EXPECT_NO_THROW(RequireLeave(apply, 2)) << "a run that goes on";
  apply.Record().complete = true;
  EXPECT_THROW(RequireLeave(apply, 2), base::Error);
}

TEST_F(UpgradeStepsTest, UpgradeNodeAsksAtATerminalOnly) {
  AnswerWith(false);
  EXPECT_NO_THROW(RequireLeave(data_, 1)) << "upstream's asks nothing, and scripts give it";
  fake_.environment.terminal = true;
  EXPECT_THROW(RequireLeave(data_, 1), base::Error);
  EXPECT_THAT(questions_, ElementsAre(HasSubstr("May this change be lost?")));
}

TEST_F(UpgradeStepsTest, ARollbackIsRefusedWhereTheOldManifestsCannotServe) {
  const auto refusal = [&](const std::string& before, const std::string& after) {
    const auto pod = [](const std::string& argument) {
      return "kind: Pod\nspec:\n  containers:\n  - command:\n    - kube-apiserver\n    - " +
             argument + "\n";
    };
    fake_.files.Write("/kept/kube-apiserver.yaml", pod(before), {});
    fake_.files.Write(components::ManifestPath(components::Component::kApiServer), pod(after), {});
    control_plane::SaveRecord(fake_.files, {.command = "node",
                                            .from = "v1.36.3",
                                            .to = "v1.37.2",
                                            .manifests = {{"kube-apiserver", "/kept"}}});
    return base::MessageOf([&] { RollBack(data_, context_); });
  };
  EXPECT_THAT(refusal("--advertise-address=10.0.0.1", "--advertise-address=10.0.0.2"),
              HasSubstr("this node has moved from 10.0.0.1 to 10.0.0.2"));
  EXPECT_THAT(refusal("--v=1", "--encryption-provider-config=/etc/kubernetes/enc.yaml"),
              HasSubstr("could not read with none any more"));
}

TEST_F(UpgradeStepsTest, ARollbackIsRefusedAfterAnotherUpgradeSince) {
  AnswerWith(false);
  const auto write = [&](const std::string& file, const std::string& version) {
    fake_.files.Write(file, "spec:\n  containers:\n  - image: x/kube-scheduler:" + version + "\n",
                      {});
  };
  const auto refusal = [&](const std::string& now) {
    write("/kept/kube-scheduler.yaml", "v1.35.4");
    write(components::ManifestPath(components::Component::kScheduler).string(), now);
    control_plane::SaveRecord(fake_.files, {.command = "node",
                                            .from = "v1.36.3",
                                            .to = "v1.36.3",
                                            .manifests = {{"kube-scheduler", "/kept"}}});
    return base::MessageOf([&] { RollBack(data_, context_); });
  };
  EXPECT_THAT(refusal("v1.37.2"), HasSubstr("was from v1.35.4 to v1.36.3, and kube-scheduler is at "
                                            "v1.37.2"));
  for (const char* known : {"v1.36.3", "v1.35.4", "v1.36.4-patched", "latest"}) {
    EXPECT_EQ(refusal(known), kNoConsent) << known;
  }
}

TEST_F(UpgradeStepsTest, ARollbackWarnsOfATooNewKubelet) {
  AnswerWith(false);
  fake_.files.Write("/kept/kube-apiserver.yaml",
                    "spec:\n  containers:\n  - image: x/kube-apiserver:v1.36.3\n", {});
  control_plane::SaveRecord(fake_.files, {.command = "node",
                                          .from = "v1.37.2",
                                          .to = "v1.37.2",
                                          .manifests = {{"kube-apiserver", "/kept"}}});
  const auto warnings = [&](const std::string& kubelet) {
    context_.warnings.clear();
    fake_.processes.On("kubelet --version", {.out = "Kubernetes " + kubelet + "\n"});
    EXPECT_EQ(base::MessageOf([&] { RollBack(data_, context_); }), kNoConsent);
    return context_.warnings;
  };
  EXPECT_THAT(warnings("v1.37.0"), ElementsAre(HasSubstr("v1.37.0, newer than the v1.36.3")));
  EXPECT_THAT(warnings("v1.36.9"), IsEmpty());
  EXPECT_THAT(warnings("something else"), IsEmpty());
}

TEST_F(UpgradeStepsTest, ARollbackUndoesNoOtherUpgradeThanTheNamedOne) {
  AnswerWith(false);
  data_.upgrade_options.only_to = "v1.37.2";
  EXPECT_EQ(base::MessageOf([&] { RollBack(data_, context_); }), "") << "no upgrade at all";
  control_plane::SaveRecord(fake_.files, {.command = "apply", .from = "v1.35.4", .to = "v1.36.3"});
  EXPECT_EQ(base::MessageOf([&] { RollBack(data_, context_); }), "");
  EXPECT_THAT(context_.lines.back(), HasSubstr("no upgrade to v1.37.2 has changed this node"));
  data_.upgrade_options.only_to = "v1.36.3";
  EXPECT_EQ(base::MessageOf([&] { RollBack(data_, context_); }), kNoConsent);
}

TEST_F(UpgradeStepsTest, ARollbackRepairsAnUnreadableManifest) {
  AnswerWith(false);
  for (const char* broken : {"{", "- a", "kind: Pod\n"}) {
    fake_.files.Write("/kept/kube-apiserver.yaml",
                      "spec:\n  containers:\n  - command: [x, --advertise-address=10.0.0.1]\n", {});
    fake_.files.Write(components::ManifestPath(components::Component::kApiServer), broken, {});
    control_plane::SaveRecord(fake_.files, {.command = "node",
                                            .from = "v1.36.3",
                                            .to = "v1.37.2",
                                            .manifests = {{"kube-apiserver", "/kept"}}});
    EXPECT_EQ(base::MessageOf([&] { RollBack(data_, context_); }), kNoConsent) << broken;
  }
}

TEST_F(UpgradeStepsTest, ARollbackWithDataNeedsAnEtcdThatCanRaiseTheRevision) {
  control_plane::UpgradeRecord record;
  record.backup = "/backups/b.tar.zst";
  fake_.files.MakeDirectories("/backups", 0755);
  fake_.files.Write(backup::EtcdutlOf(record.backup), "program", {.mode = 0700});
  const auto refusal = [&](const std::string& version) {
    backup::Manifest manifest;
    manifest.id = "0123";
    manifest.etcd.version = version;
    manifest.etcd.snapshot = 8;
    manifest.etcd.members = {{.name = "cp", .peer_urls = {}, .client_urls = {}}};
    fake_.files.Remove(record.backup);
    backup::Writer writer(backup::NewOutput(fake_.files, record.backup, {}), std::nullopt, 0);
    writer.AddFile(std::string(backup::kManifestName), backup::ManifestText(manifest));
    writer.AddFile(std::string(backup::kSnapshotName), "snapshot");
    writer.Finish();
    return base::MessageOf([&] { RequireRestorableData(record, fake_.host, context_); });
  };
  EXPECT_THAT(refusal("3.5.9"), AllOf(HasSubstr("nothing was changed"),
                                      HasSubstr("etcdutl of etcd 3.5.9 cannot raise the revision"),
                                      HasSubstr("Without --with-data")));
  for (const char* version : {"3.5.10", "3.6.5", "3.7.0"}) {
    EXPECT_THAT(refusal(version), HasSubstr("kube-apiserver.yaml")) << "which names etcd";
  }
}

TEST_F(UpgradeStepsTest, RollsBackAnInterruptedChangeBeforeAnUpgrade) {
  kube::Kubeconfig conf;
  conf.clusters["c"] = {.server = "https://127.0.0.1:1"};
  conf.contexts["x"] = {.cluster = "c"};
  conf.current_context = "x";
  fake_.files.Write("/admin.conf", conf.Text(), {});
  data_.options.kubeconfig = "/admin.conf";
  engine::SaveJournal(fake_.files, {.operation = std::string(config_change::kOperation)});
  EXPECT_THAT(base::MessageOf([&] { UpgradePreflight(data_, context_); }),
              HasSubstr("roll it back by 'kubeadm config undo' first"));
}

TEST_F(UpgradeStepsTest, ReportsUnreadableDriftAndContinues) {
  data_.options.kubeconfig = "/nowhere.conf";
  EXPECT_NO_THROW(HandleDrift(data_, context_));
  EXPECT_THAT(context_.warnings, ElementsAre(HasSubstr("manual changes are unknown")));
}

}  // namespace
}  // namespace upgrade_steps
