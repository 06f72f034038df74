// SPDX-License-Identifier: Apache-2.0
#include "etcd_maintenance/recover.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "cri/fake_runtime.h"
#include "etcd_maintenance/recovery_facts.h"
#include "host/fake_host.h"
#include "workflow/reporter.h"

namespace etcd_maintenance {
namespace {

using base::Error;
using base::Thrown;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Optional;

constexpr const char* kManifest = "/etc/kubernetes/manifests/etcd.yaml";
constexpr const char* kPod = R"(apiVersion: v1
kind: Pod
metadata: {name: etcd}
spec:
  containers:
  - name: etcd
    image: registry.k8s.io/etcd:3.7.0-0
    command:
    - etcd
    - --name=cp1
    - --initial-advertise-peer-urls=https://10.0.0.1:2380
    - --initial-cluster=cp2=https://10.0.0.2:2380,cp1=https://10.0.0.1:2380
    - --initial-cluster-state=existing
  volumes:
  - {name: etcd-data, hostPath: {path: /var/lib/etcd}}
)";

// A survivor whose two fellow members are lost.
RecoveryFacts Lost() {
  return {.own = {.name = "cp1", .peer_url = "https://10.0.0.1:2380"},
          .image = "registry.k8s.io/etcd:3.7.0-0",
          .data_directory = "/var/lib/etcd",
          .kept = "/var/lib/etcd/member.before-recover",
          .has_data = true,
          .revision = 70,
          .others = {{.name = "cp2", .problem = "connection refused"},
                     {.name = "cp3", .problem = "no answer"}}};
}

TEST(RecoveryRefusal, AllowsTheLastMemberOfALostMajority) {
  EXPECT_EQ(RecoveryRefusal(Lost()), std::nullopt);
  RequireRecoverable(Lost());
}

TEST(RecoveryRefusal, RefusesAClusterWithAMajority) {
  RecoveryFacts facts = Lost();
  facts.has_quorum = true;
  const Error error = Thrown([&] { RequireRecoverable(facts); });
  EXPECT_EQ(error.kind(), Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr("etcd has its majority"));
  EXPECT_THAT(error.message(), HasSubstr("nothing was changed"));
}

TEST(RecoveryRefusal, RefusesWhileAnotherMemberAnswers) {
  RecoveryFacts facts = Lost();
  facts.others[1].problem.clear();
  EXPECT_THAT(RecoveryRefusal(facts), Optional(HasSubstr("member cp3 answers")));
}

TEST(RecoveryRefusal, RefusesWhileAnApiServerAnswers) {
  RecoveryFacts facts = Lost();
  facts.api_server = "/etc/kubernetes/admin.conf";
  EXPECT_THAT(RecoveryRefusal(facts), Optional(HasSubstr("majority on other nodes")));
}

TEST(RecoveryRefusal, RefusesWithoutData) {
  RecoveryFacts facts = Lost();
  facts.has_data = false;
  EXPECT_THAT(RecoveryRefusal(facts), Optional(HasSubstr("kubeadm restore")));
}

TEST(RecoveryRefusal, RefusesAnEtcdThatCannotRaiseTheRevision) {
  RecoveryFacts facts = Lost();
  for (const char* version : {"3.5.10", "3.5.10-0", "3.7.0", "own", "1.2.0", ""}) {
    facts.version = version;
    EXPECT_EQ(RecoveryRefusal(facts), std::nullopt) << version;
  }
  for (const char* version : {"3.5.9", "3.5.9-0", "3.4.30"}) {
    facts.version = version;
    EXPECT_THAT(
        RecoveryRefusal(facts),
        Optional(testing::AllOf(HasSubstr("cannot raise the revision"),
                                HasSubstr("etcd 3.5.10 or later in " + std::string(kManifest)))))
        << version;
  }
}

TEST(RecoveryText, NamesTheLostMembersAndHowTheyJoinAgain) {
  EXPECT_THAT(TextOf(Lost()), HasSubstr("lost: cp2: connection refused"));
  EXPECT_THAT(TextOf(Lost()), HasSubstr("revision 70"));
  EXPECT_THAT(StepsAfterRecovery(Lost()).front(), HasSubstr("cp2, cp3"));
  RecoveryFacts running = Lost();
  running.others.front().problem = "";
  EXPECT_THAT(TextOf(running), HasSubstr("answers: cp2\n"));
  RecoveryFacts unknown = Lost();
  unknown.others.clear();
  EXPECT_THAT(StepsAfterRecovery(unknown).front(), HasSubstr("every other control plane"));
}

class RecoverTest : public testing::Test {
 protected:
  RecoverTest() {
    fake_.files.Write(kManifest, kPod, {});
    fake_.files.Write("/var/lib/etcd/member/snap/db", "database", {});
    fake_.files.Write("/var/lib/etcd/member/wal/0.wal", "log", {});
    fake_.processes.AddExecutable("sync");
    fake_.processes.AddExecutable("chown");
  }

  RecoverDeps Deps() {
    return {.host = fake_.host,
            .connect_runtime = [] { return std::make_unique<cri::FakeRuntime>(); }};
  }

  // Runs the steps up to the step `last`.
  void RunUntil(const std::string& last) {
    engine::Operation operation = RecoverOperation(Lost(), Deps());
    const auto end = std::ranges::find(operation.steps, last, &engine::Step::id);
    operation.steps.erase(end + 1, operation.steps.end());
    operation.steps.push_back({.id = "crash", .line = "crash", .apply = [](engine::StepContext&) {
                                 throw Error("crashed");
                               }});
    workflow::Reporter reporter(fake_.clock, {});
    EXPECT_EQ(Thrown([&] {
                engine::Run(operation, engine::LoadJournal(fake_.files, kRecoverOperation),
                            {.host = fake_.host, .reporter = reporter});
              }).message(),
              "crashed");
  }

  engine::Journal Journal() { return engine::LoadJournal(fake_.files, kRecoverOperation).value(); }

  host::FakeHost fake_;
};

TEST_F(RecoverTest, HasItsStepsInASafeOrder) {
  std::vector<std::string> ids;
  for (const engine::Step& step : RecoverOperation(Lost(), Deps()).steps) {
    ids.push_back(step.id);
  }
  EXPECT_THAT(ids, ElementsAre("stop", "keep", "data", "control-plane", "verify"));
}

TEST_F(RecoverTest, RemovesTheManifestBeforeTheDataMove) {
  RunUntil("stop");
  EXPECT_FALSE(fake_.files.Exists(kManifest));
  EXPECT_TRUE(fake_.files.Exists("/var/lib/etcd/member/snap/db"));
  EXPECT_EQ(fake_.files.Read(Journal().directory + kManifest), kPod);
}

TEST_F(RecoverTest, KeepsTheDataUnchanged) {
  RunUntil("keep");
  EXPECT_EQ(fake_.files.Read("/var/lib/etcd/member.before-recover/member/snap/db"), "database");
  EXPECT_EQ(fake_.files.Read("/var/lib/etcd/member.before-recover/member/wal/0.wal"), "log");
  EXPECT_FALSE(fake_.files.Exists("/var/lib/etcd/member"));
  RunUntil("keep");  // a second run after a crash
  EXPECT_EQ(fake_.files.Read("/var/lib/etcd/member.before-recover/member/snap/db"), "database");
}

TEST_F(RecoverTest, ResumesWithTheFactsOfTheFirstRun) {
  RunUntil("keep");
  const RecoveryFacts facts = ResumedFacts(Journal(), fake_.files);
  EXPECT_EQ(facts.own.name, "cp1");
  EXPECT_EQ(facts.image, "registry.k8s.io/etcd:3.7.0-0");
  EXPECT_EQ(facts.revision, 70);
  EXPECT_EQ(facts.kept, "/var/lib/etcd/member.before-recover");
  ASSERT_EQ(facts.others.size(), 2U);
  EXPECT_EQ(facts.others[1].name, "cp3");
  engine::Journal broken = Journal();
  broken.facts.erase("kept");
  EXPECT_EQ(Thrown([&] { ResumedFacts(broken, fake_.files); }).kind(), Error::Kind::kInvalid);
}

TEST_F(RecoverTest, NeedsAnEtcdOnThisNode) {
  fake_.files.Remove(kManifest);
  const Error error = Thrown([&] { LoadEtcdPod(fake_.files, ""); });
  EXPECT_EQ(error.kind(), Error::Kind::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr("--force-new-cluster"));
}

}  // namespace
}  // namespace etcd_maintenance
