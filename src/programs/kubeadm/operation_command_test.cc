// SPDX-License-Identifier: Apache-2.0
#include "kubeadm/operation_command.h"

#include <gmock/gmock.h>

#include <sstream>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"

namespace kubeadm {
namespace {

using testing::HasSubstr;
using testing::Not;

class OperationCommandTest : public testing::Test {
 protected:
  // Runs a command "act" with these arguments. Its plan is `run_`.
  void Run(const std::vector<std::string>& words, std::vector<cli::Flag> flags,
           const std::function<decltype(RunOperation)>& operate = RunOperation) {
    const cli::Command command{
        .name = "act",
        .summary = "",
        .flags = std::move(flags),
        .run = [&](cli::Invocation& invocation) {
          operate("act", [&](const base::ShowLine&) { return run_; }, invocation, fake_.host);
        }};
    cli::Streams streams{in_, out_, out_};
    cli::Run(command, words, streams);
  }

  std::string ErrorOf(const std::function<decltype(RunOperation)>& operate = RunOperation) {
    return base::MessageOf([&] { Run({"--yes"}, OperationFlags(), operate); });
  }

  engine::Operation Failing() {
    const auto fail = [](engine::StepContext&) { throw base::Error("the disk is full"); };
    return {.name = "act",
            .tag = "act",
            .intent = {},
            .facts = {},
            .steps = {{.id = "a", .line = "do a", .apply = fail, .rollback = fail}}};
  }

  host::FakeHost fake_;
  std::istringstream in_{"n\n"};
  std::ostringstream out_;
  PlannedRun run_{.operation = Failing(), .plan = "the plan\n"};
};

TEST_F(OperationCommandTest, NamesTheCommandsAfterAFailedStep) {
  EXPECT_THAT(ErrorOf(), HasSubstr("the disk is full\nrun the same command again to continue"));
  EXPECT_THAT(ErrorOf(), Not(HasSubstr("to roll back"))) << "it has no rollback";
  run_.operation.can_roll_back = true;
  run_.undo = "kubeadm act undo";
  EXPECT_THAT(ErrorOf(), HasSubstr("to continue, or 'kubeadm act undo' to roll back"));
}

TEST_F(OperationCommandTest, AFailedRollbackIsResumed) {
  ErrorOf();
  run_.journal = engine::LoadJournal(fake_.files, "act");
  run_.operation.can_roll_back = true;
  run_.undo = "kubeadm act undo";
  EXPECT_THAT(ErrorOf(RollbackOperation), AllOf(HasSubstr("run the same command again to continue"),
                                                Not(HasSubstr("roll back"))));
}

TEST_F(OperationCommandTest, PromisesNothingBeforeTheFirstStep) {
  run_.prepare = [] { throw base::Error("no certificate"); };
  EXPECT_EQ(ErrorOf(), "no certificate");
  run_.prepare = {};
  run_.operation.can_roll_back = true;
  run_.journal = engine::Journal{.operation = "act",
                                 .state = engine::State::kDone,
                                 .directory = "/tmp/b",
                                 .steps = {{.id = "a", .state = engine::StepState::kDone}},
                                 .files = {{.path = "/etc/a", .copy = "/tmp/b/a"}}};
  EXPECT_THAT(ErrorOf(RollbackOperation),
              AllOf(HasSubstr("is missing: restore it first; nothing was changed"),
                    Not(HasSubstr("again"))));
}

TEST_F(OperationCommandTest, AnEmptyPlanEndsAnInterruptedRun) {
  ErrorOf();
  run_ = {.operation = {.name = "act", .tag = "act"},
          .journal = engine::LoadJournal(fake_.files, "act")};
  ASSERT_TRUE(run_.journal);
  Run({"--dry-run"}, OperationFlags());
  EXPECT_TRUE(engine::LoadJournal(fake_.files, "act")) << "a dry run changes nothing";
  Run({}, OperationFlags());
  EXPECT_FALSE(engine::LoadJournal(fake_.files, "act"));
}

TEST_F(OperationCommandTest, AsksForConfirmationIfTheCommandHasTheYesFlag) {
  EXPECT_THAT(base::MessageOf([&] { Run({}, OperationFlags()); }), Not(HasSubstr("disk")));
  EXPECT_THAT(out_.str(), HasSubstr("[y/N]"));
  out_.str("");
  EXPECT_THAT(base::MessageOf([&] { Run({"--output=json"}, UnconfirmedFlags()); }),
              HasSubstr("the disk is full"));
  EXPECT_THAT(out_.str(), Not(HasSubstr("[y/N]")));
}

}  // namespace
}  // namespace kubeadm
