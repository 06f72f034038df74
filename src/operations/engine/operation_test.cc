// SPDX-License-Identifier: Apache-2.0
#include "engine/operation.h"

#include <gmock/gmock.h>

#include <chrono>
#include <optional>
#include <sstream>

#include "base/error.h"
#include "base/fake_error.h"
#include "engine/trial.h"
#include "host/fake_host.h"
#include "workflow/event.h"

namespace engine {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

constexpr const char* kFile = "/etc/kubernetes/admin.conf";
constexpr const char* kNewFile = "/etc/kubernetes/new.conf";

// An operation of three steps that records its calls and fails at the configured one.
class OperationTest : public testing::Test {
 protected:
  OperationTest() { fake_.files.Write(kFile, "old", {.mode = 0640}); }

  std::function<void(StepContext&)> Note(const std::string& call) {
    return [this, call](StepContext&) {
      calls_.push_back(call);
      if (call == fails_) {
        throw base::Error("the disk is gone");
      }
      if (call == stops_) {
        stop_.request_stop();
      }
    };
  }

  Operation Made() {
    return {.name = "test",
            .tag = "test",
            .intent = {{"to", 1}},
            .facts = {},
            .steps = {{.id = "files",
                       .line = "write files",
                       .apply =
                           [this](StepContext& context) {
                             context.WriteFile(kFile, "new", 0600);
                             context.WriteFile(kNewFile, "new", 0600);
                             Note("files")(context);
                           }},
                      {.id = "restart",
                       .line = "restart",
                       .apply = Note("restart"),
                       .rollback = Note("restart-back")},
                      {.id = "objects",
                       .line = "objects",
                       .where = Where::kCluster,
                       .apply = Note("objects"),
                       .rollback = Note("objects-back")},
                      {.id = "kubelet",
                       .line = "kubelet",
                       .apply = Note("kubelet"),
                       .rollback = Note("kubelet-back")}},
            .can_roll_back = true};
  }

  OperationDeps With() {
    return {.host = fake_.host, .reporter = reporter_, .stop = stop_.get_token()};
  }
  std::optional<Journal> Loaded() { return LoadJournal(fake_.files, "test"); }

  host::FakeHost fake_;
  std::vector<std::string> events_;
  workflow::Reporter reporter_{
      fake_.clock, {[this](const workflow::Event& event) {
        if (const auto* started = std::get_if<workflow::event::PhaseStarted>(&event.what)) {
          events_.push_back(started->phase);
        }
      }}};
  std::stop_source stop_;
  std::vector<std::string> calls_;
  std::string fails_, stops_;
};

TEST_F(OperationTest, RunsItsStepsInOrderAndKeepsTheJournal) {
  engine::Run(Made(), {}, With());
  EXPECT_THAT(calls_, ElementsAre("files", "restart", "objects", "kubelet"));
  EXPECT_EQ(events_, calls_) << "each step is a phase to those who listen";
  EXPECT_EQ(Loaded()->state, State::kDone);
  EXPECT_EQ(fake_.files.Read(kFile), "new");
  EXPECT_EQ(fake_.files.Stat(kFile)->mode, 0640U);
}

TEST_F(OperationTest, LeavesNoJournalWhenItCannotBeRolledBack) {
  Operation operation = Made();
  operation.can_roll_back = false;
  engine::Run(operation, {}, With());
  EXPECT_EQ(Loaded(), std::nullopt);
}

TEST_F(OperationTest, RunsWithoutAJournalOnAFullDisk) {
  fake_.files.FailWritesTo("/var/lib/slipway/operation-test.json");
  Operation operation = Made();
  operation.steps = {{.id = "one", .line = "one", .apply = Note("one")}};
  EXPECT_THROW(engine::Run(operation, {}, With()), base::Error);
  operation.can_roll_back = false;
  operation.keeps_journal = false;
  engine::Run(operation, {}, With());
  EXPECT_THAT(calls_, ElementsAre("one"));
}

TEST_F(OperationTest, ResumesAtTheStepThatFailed) {
  fails_ = "objects";
  EXPECT_EQ(base::MessageOf([&] { engine::Run(Made(), {}, With()); }), "the disk is gone");
  EXPECT_EQ(Loaded()->state, State::kApplying);
  fails_ = "";
  calls_.clear();
  engine::Run(Made(), Loaded(), With());
  EXPECT_THAT(calls_, ElementsAre("objects", "kubelet"));
}

std::vector<std::string> Ids(const std::vector<Step>& steps) {
  std::vector<std::string> ids;
  for (const Step& step : steps) {
    ids.push_back(step.id);
  }
  return ids;
}

TEST_F(OperationTest, ListsTheStepsThatARunAndARollbackCall) {
  EXPECT_THAT(Ids(RemainingSteps(Made(), {})),
              ElementsAre("files", "restart", "objects", "kubelet"));
  fails_ = "kubelet";
  EXPECT_THROW(engine::Run(Made(), {}, With()), base::Error);
  EXPECT_THAT(Ids(RemainingSteps(Made(), Loaded())), ElementsAre("kubelet"));
  EXPECT_THAT(Ids(RollbackSteps(Made(), *Loaded())), ElementsAre("kubelet", "restart", "objects"));
  events_.clear();
  engine::Rollback(Made(), *Loaded(), With());
  EXPECT_THAT(events_, ElementsAre(std::string(kRestoreFiles), "kubelet", "restart", "objects"));
}

TEST_F(OperationTest, BeginsNoStepAfterAnInterrupt) {
  stops_ = "restart";
  EXPECT_THROW(engine::Run(Made(), {}, With()), base::Interrupted);
  EXPECT_THAT(calls_, ElementsAre("files", "restart"));
  EXPECT_TRUE(Loaded()->HasDone("restart"));
  EXPECT_FALSE(Loaded()->HasDone("objects"));
}

TEST_F(OperationTest, WritesTheJournalBeforeTheFirstStep) {
  Operation operation = Made();
  operation.steps[0].apply = [&](StepContext&) {
    const Journal journal = Loaded().value();
    EXPECT_EQ(journal.intent, operation.intent);
    ASSERT_EQ(journal.steps.size(), 1U);
    EXPECT_EQ(journal.steps[0].state, StepState::kStarted);
  };
  engine::Run(operation, {}, With());
}

TEST_F(OperationTest, RollsBackFilesThenThisNodeThenTheClusterInReverseOrder) {
  engine::Run(Made(), {}, With());
  calls_.clear();
  Rollback(Made(), Loaded().value(), With());
  EXPECT_THAT(calls_, ElementsAre("kubelet-back", "restart-back", "objects-back"));
  EXPECT_EQ(fake_.files.Read(kFile), "old");
  EXPECT_EQ(fake_.files.Stat(kFile)->mode, 0640U);
  EXPECT_FALSE(fake_.files.Exists(kNewFile)) << "there was none before";
  EXPECT_EQ(Loaded(), std::nullopt);
}

TEST_F(OperationTest, RollsBackOnlyStepsThatHaveBegun) {
  fails_ = "restart";
  base::Thrown([&] { engine::Run(Made(), {}, With()); });
  calls_.clear();
  Rollback(Made(), Loaded().value(), With());
  EXPECT_THAT(calls_, ElementsAre("restart-back"));
  EXPECT_EQ(fake_.files.Read(kFile), "old");
}

TEST_F(OperationTest, ResumesARollbackThatFailed) {
  engine::Run(Made(), {}, With());
  calls_.clear();
  fails_ = "restart-back";
  base::Thrown([&] { Rollback(Made(), Loaded().value(), With()); });
  EXPECT_EQ(Loaded()->state, State::kRollingBack);
  EXPECT_THAT(calls_, ElementsAre("kubelet-back", "restart-back"));
  calls_.clear();
  fails_ = "";
  Rollback(Made(), Loaded().value(), With());
  EXPECT_THAT(calls_, ElementsAre("restart-back", "objects-back"));
}

TEST_F(OperationTest, ChangesNoFileIfABackupIsMissing) {
  engine::Run(Made(), {}, With());
  fake_.files.Remove(Loaded()->files[0].copy);
  calls_.clear();
  const base::Error error = base::Thrown([&] { Rollback(Made(), Loaded().value(), With()); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kNotFound);
  EXPECT_THAT(error.message(), HasSubstr(kFile));
  EXPECT_THAT(calls_, IsEmpty());
  EXPECT_EQ(fake_.files.Read(kFile), "new");
  EXPECT_EQ(Loaded()->state, State::kDone);
}

TEST_F(OperationTest, NamesFilesThatWereChangedSince) {
  engine::Run(Made(), {}, With());
  RequireUnchanged(Loaded().value(), fake_.files);
  fake_.files.Write(kFile, "someone else's", {});
  const base::Error error = base::Thrown([&] { RequireUnchanged(Loaded().value(), fake_.files); });
  EXPECT_EQ(error.kind(), base::Error::Kind::kConflict);
  EXPECT_THAT(error.message(), HasSubstr(kFile));
  EXPECT_THAT(error.message(), testing::Not(HasSubstr(kNewFile)));
}

TEST_F(OperationTest, BacksUpTheFirstContentOnceForRootAlone) {
  Operation operation = Made();
  operation.steps[1].apply = [](StepContext& context) { context.WriteFile(kFile, "newer", 0600); };
  engine::Run(operation, {}, With());
  const Journal journal = Loaded().value();
  ASSERT_EQ(journal.files.size(), 2U);
  EXPECT_EQ(fake_.files.Read(journal.files[0].copy), "old");
  EXPECT_EQ(fake_.files.Stat(journal.files[0].copy)->mode, 0600U);
  Rollback(operation, journal, With());
  EXPECT_EQ(fake_.files.Read(kFile), "old");
}

TEST_F(OperationTest, KeepsFilesOfTheSameNameApart) {
  const char* names[] = {"/etc/kubernetes/pki/server.crt", "/etc/kubernetes/pki/etcd/server.crt",
                         "/opt/etcd/server.crt"};
  for (const char* name : names) {
    fake_.files.Write(name, name, {});
  }
  Operation operation = Made();
  operation.steps[0].apply = [&](StepContext& context) {
    for (const char* name : names) {
      context.WriteFile(name, "new", 0600);
    }
  };
  engine::Run(operation, {}, With());
  Rollback(operation, Loaded().value(), With());
  for (const char* name : names) {
    EXPECT_EQ(fake_.files.Read(name), name);
  }
}

TEST_F(OperationTest, AFailedStepEndsWithTheRemedy) {
  fails_ = "restart";
  OperationDeps deps = With();
  deps.remedy = "try again";
  EXPECT_THAT(base::MessageOf([&] { engine::Run(Made(), {}, deps); }),
              HasSubstr("the disk is gone\ntry again"));
  EXPECT_THAT(base::MessageOf([&] { engine::Run(Made(), Loaded(), With()); }),
              testing::EndsWith("the disk is gone"));
}

TEST_F(OperationTest, BackupsHaveTheWholePathOfTheFile) {
  engine::Run(Made(), {}, With());
  const Journal journal = *Loaded();
  EXPECT_EQ(journal.files[0].copy, journal.directory + kFile);
}

TEST_F(OperationTest, AStepRestoresTheFilesOfItsOperation) {
  Operation operation = Made();
  operation.steps[1].apply = [](StepContext& context) { context.RestoreFiles(); };
  engine::Run(operation, {}, With());
  EXPECT_EQ(fake_.files.Read(kFile), "old");
  EXPECT_FALSE(fake_.files.Exists(kNewFile));
}

TEST_F(OperationTest, RollsBackAtOnceAfterAFailure) {
  Operation operation = Made();
  operation.rolls_back_on_failure = true;
  fails_ = "objects";
  OperationDeps deps = With();
  deps.remedy = "try again";
  EXPECT_EQ(base::MessageOf([&] { engine::Run(operation, {}, deps); }),
            "the change was rolled back: the disk is gone");
  EXPECT_THAT(calls_, ElementsAre("files", "restart", "objects", "restart-back", "objects-back"));
  EXPECT_EQ(fake_.files.Read(kFile), "old");
  EXPECT_EQ(Loaded(), std::nullopt);
}

TEST_F(OperationTest, AFailedRollbackAfterAFailureCanBeResumed) {
  Operation operation = Made();
  operation.rolls_back_on_failure = true;
  operation.steps[2].apply = [](StepContext&) { throw base::Error("no server"); };
  fails_ = "restart-back";
  OperationDeps deps = With();
  deps.remedy = "try again";
  EXPECT_EQ(base::MessageOf([&] { engine::Run(operation, {}, deps); }),
            "no server\nThe change could not be rolled back either: the disk is gone\ntry again");
  EXPECT_EQ(Loaded()->state, State::kRollingBack);
}

TEST_F(OperationTest, AnInterruptRollsNothingBack) {
  Operation operation = Made();
  operation.rolls_back_on_failure = true;
  stops_ = "restart";
  EXPECT_THROW(engine::Run(operation, {}, With()), base::Interrupted);
  EXPECT_EQ(Loaded()->state, State::kApplying);
  EXPECT_EQ(fake_.files.Read(kFile), "new");
}

TEST_F(OperationTest, AResumedRollbackRestoresTheFilesOnce) {
  engine::Run(Made(), {}, With());
  fails_ = "objects-back";
  base::Thrown([&] { Rollback(Made(), Loaded().value(), With()); });
  fake_.files.Write(kFile, "someone else's", {});
  fails_ = "";
  events_.clear();
  Rollback(Made(), Loaded().value(), With());
  EXPECT_THAT(events_, ElementsAre("objects"));
  EXPECT_EQ(fake_.files.Read(kFile), "someone else's");
}

TEST_F(OperationTest, LeavesManifestsToTheStepThatReplacedThem) {
  engine::Run(Made(), {}, With());
  Journal journal = Loaded().value();
  journal.files[0].pod = true;
  Rollback(Made(), journal, With());
  EXPECT_EQ(fake_.files.Read(kFile), "new");
  EXPECT_FALSE(fake_.files.Exists(kNewFile));
}

TEST_F(OperationTest, KeepsTheFactsThatStepsAdd) {
  Operation operation = Made();
  operation.facts = {{"a", 1}};
  operation.steps[1].apply = [](StepContext& context) { context.SetFact("b", 2); };
  engine::Run(operation, {}, With());
  EXPECT_EQ(Loaded()->facts, json::Value({{"a", 1}, {"b", 2}}));
}

// Processes with a service manager, whose services can answer or stay silent.
class Services : public host::FakeProcesses {
 public:
  explicit Services(host::Files& files) : files_(files) { AddExecutable("systemctl"); }
  host::RunResult Run(const std::vector<std::string>& argv,
                      const host::RunOptions& options) override {
    if (answers && argv[1] == "restart") {
      ReportTimer(*timer, LoadJournal(files_, "test")->id, files_);
    }
    return host::FakeProcesses::Run(argv, options);
  }
  const RollbackTimer* timer = nullptr;
  bool answers = true;

 private:
  host::Files& files_;
};

class TriedOperationTest : public OperationTest {
 protected:
  TriedOperationTest() {
    services_.timer = &timer_;
    operation_.timer = &timer_;
    operation_.rolls_back_on_failure = true;
  }
  void Try(std::optional<Journal> interrupted = {}) {
    engine::Run(operation_, std::move(interrupted),
                {.host = host_,
                 .reporter = reporter_,
                 .stop = stop_.get_token(),
                 .trial = std::chrono::minutes(2)});
  }
  bool HasUnit() const { return fake_.files.Exists(kUnit); }

  static constexpr const char* kUnit = "/etc/systemd/system/kubeadm-test-keep.service";
  Services services_{fake_.files};
  host::Host host_ = fake_.With(services_);
  const RollbackTimer timer_{
      .operation = "test", .command = "test", .load = [](const host::Files& files) {
        return LoadJournal(files, "test");
      }};
  Operation operation_ = Made();
};

TEST_F(TriedOperationTest, IsOnTrialWhenItIsApplied) {
  operation_.steps[0].apply = [&](StepContext&) {
    EXPECT_TRUE(HasUnit()) << "before the first step";
  };
  Try();
  EXPECT_EQ(Loaded()->state, State::kTrying);
  EXPECT_EQ(Loaded()->until, fake_.clock.NowSeconds().time_since_epoch().count() + 120);
  Confirm(timer_, host_);
  EXPECT_EQ(Loaded()->state, State::kDone);
  EXPECT_FALSE(HasUnit());
}

TEST_F(TriedOperationTest, DoesNotBeginWithoutItsTimer) {
  services_.answers = false;
  EXPECT_THAT(base::MessageOf([&] { Try(); }), HasSubstr("nothing was changed"));
  EXPECT_THAT(calls_, IsEmpty());
  EXPECT_EQ(Loaded(), std::nullopt);
  EXPECT_FALSE(HasUnit());
}

TEST_F(TriedOperationTest, LeavesNoTimerAfterAFailure) {
  fails_ = "objects";
  EXPECT_THAT(base::MessageOf([&] { Try(); }), HasSubstr("the change was rolled back"));
  EXPECT_EQ(Loaded(), std::nullopt);
  EXPECT_FALSE(HasUnit());
}

TEST_F(TriedOperationTest, LeavesNoTimerAfterARollback) {
  Try();
  Rollback(operation_, Loaded().value(), {.host = host_, .reporter = reporter_});
  EXPECT_EQ(Loaded(), std::nullopt);
  EXPECT_FALSE(HasUnit());
}

TEST_F(TriedOperationTest, NotesThatItWasRolledBackUntilTheNextRun) {
  Try();
  EXPECT_FALSE(HasRollbackNote(timer_, fake_.files));
  Rollback(operation_, Loaded().value(), {.host = host_, .reporter = reporter_});
  EXPECT_TRUE(HasRollbackNote(timer_, fake_.files));
  Try();
  EXPECT_FALSE(HasRollbackNote(timer_, fake_.files));
}

TEST_F(TriedOperationTest, CanBeResumedWithoutATrial) {
  stops_ = "restart";
  EXPECT_THROW(Try(), base::Interrupted);
  EXPECT_TRUE(HasUnit());
  engine::Run(operation_, Loaded(), {.host = host_, .reporter = reporter_});
  EXPECT_EQ(Loaded()->state, State::kDone);
  EXPECT_FALSE(HasUnit());
}

TEST_F(TriedOperationTest, KeepsItsJournalWhenAResumedTrialHasNoTimer) {
  stops_ = "restart";
  EXPECT_THROW(Try(), base::Interrupted);
  services_.answers = false;
  EXPECT_THROW(Try(Loaded()), base::Error);
  EXPECT_EQ(Loaded()->state, State::kApplying) << "the node is between two configurations";
}

}  // namespace
}  // namespace engine
