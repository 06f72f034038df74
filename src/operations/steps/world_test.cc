// SPDX-License-Identifier: Apache-2.0
#include "steps/world.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "host/fake_host.h"
#include "kube/dry_run.h"
#include "workflow/fake_context.h"

namespace steps {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class WorldTest : public testing::Test {
 protected:
  std::unique_ptr<World> NewWorld(bool dry_run, bool writes = true) {
    StandIn stand_in;
    if (writes) {
      stand_in = {.variable = "DIR", .prefix = "x", .redirects = [](const host::fs::path& dir) {
                    return std::vector<host::Redirect>{{"/etc/kubernetes", dir}};
                  }};
    }
    fake_.environment.variables["DIR"] = "/dry";
    return ChooseWorld(fake_.host, dry_run, stand_in);
  }

  host::FakeHost fake_;
  workflow::FakeContext printed_;
};

TEST_F(WorldTest, MachineWorldExecutesActions) {
  const auto world = NewWorld(false);
  bool acted = false;
  world->Do({.on_machine = [&] { acted = true; }, .in_dry_run = Would(printed_, {"Would act"})});
  world->Do({.in_dry_run = Would(printed_, {"Would pretend"})});
  EXPECT_TRUE(acted);
  EXPECT_THAT(printed_.lines, IsEmpty());
  EXPECT_EQ(&world->host, &fake_.host);
  EXPECT_TRUE(world->RunsPods());
}

TEST_F(WorldTest, ADryRunPrintsActions) {
  const auto world = NewWorld(true);
  const auto act = [] { ADD_FAILURE() << "acts"; };
  world->Do({.on_machine = act, .in_dry_run = Would(printed_, {"Would act", "and more"})});
  world->Do({.on_machine = act});
  EXPECT_THAT(printed_.lines, ElementsAre("Would act", "and more"));
  EXPECT_FALSE(world->RunsPods());
}

TEST_F(WorldTest, OnlyADryRunShowsItsFilesAndNamesAllThatAreMissing) {
  NewWorld(false)->Show({"/etc/kubernetes/none"}, printed_);
  const auto world = NewWorld(true);
  world->host.files.Write("/etc/kubernetes/a", "text", {});
  EXPECT_FALSE(fake_.files.Exists("/etc/kubernetes/a"));
  const base::Error error = base::Thrown([&] {
    world->Show({"/etc/kubernetes/none", "/etc/kubernetes/a", "/etc/kubernetes/nil"}, printed_);
  });
  EXPECT_THAT(error.message(), HasSubstr("none"));
  EXPECT_THAT(error.message(), HasSubstr("nil"));
  EXPECT_THAT(printed_.lines,
              ElementsAre("[dryrun] Would write file \"/etc/kubernetes/a\" with content:\ntext"));
}

TEST_F(WorldTest, SettlesADryRunAfterSuccessAndFailure) {
  std::vector<std::string> said;
  const auto say = [&](const std::string& line) { said.push_back(line); };
  const Settle settle = [] { return std::optional<std::string>("removed"); };
  EndRun(*NewWorld(false), settle, say);
  EXPECT_THAT(said, IsEmpty());
  EndRun(*NewWorld(true), settle, say);
  EndFailedRun(*NewWorld(true), settle, say);
  EXPECT_THAT(said, ElementsAre("removed", "removed"));
  const Settle fails = []() -> std::optional<std::string> { throw base::Error("no"); };
  EXPECT_THROW(EndRun(*NewWorld(true), fails, say), base::Error);
  EXPECT_NO_THROW(EndFailedRun(*NewWorld(true), fails, say));
}

TEST_F(WorldTest, ADryRunWorksOnACopyOfTheMachinesFiles) {
  fake_.files.Write("/etc/kubernetes/ca.key", "own", {});
  const auto world = NewWorld(true);
  const host::WriteOptions secret{.mode = 0600, .directory_mode = 0700};
  world->Bring("/etc/kubernetes/ca.key", secret);
  world->Bring("/etc/kubernetes/none", secret);
  EXPECT_EQ(fake_.files.Read("/dry/ca.key"), "own");
  EXPECT_EQ(fake_.files.Stat("/dry")->mode, 0700U);
  EXPECT_FALSE(fake_.files.Exists("/dry/none"));
  world->host.files.Write("/etc/kubernetes/ca.key", "of an earlier dry run", {});
  world->Bring("/etc/kubernetes/ca.key", secret);
  EXPECT_EQ(fake_.files.Read("/dry/ca.key"), "own");
  NewWorld(false)->Bring("/etc/kubernetes/ca.key", secret);
  EXPECT_EQ(fake_.files.Read("/etc/kubernetes/ca.key"), "own");
}

TEST_F(WorldTest, ADryRunWithoutFilesNeedsNoDirectory) {
  const auto world = NewWorld(true, false);
  EXPECT_EQ(&world->host, &fake_.host);
  EXPECT_FALSE(fake_.files.Exists("/dry"));
}

TEST_F(WorldTest, ReportsSkippedCallsToTheLastCallback) {
  const auto world = NewWorld(true);
  const auto transport = world->Connect(
      {.real = []() -> Transports::Transport { throw base::Error("there is no cluster"); },
       .dry_run =
           [](const base::ShowLine& log) {
             return std::make_shared<kube::DryRunTransport>(kube::DryRunOptions{.log = log});
           }});
  std::string first, second;
  for (std::string* heard : {&first, &second}) {
    world->ReportTo([heard](const std::string& report) { *heard += report; });
    transport->Do({.verb = kube::Verb::kGet, .resource = kube::resources::kNode, .name = "n"}, {});
  }
  EXPECT_THAT(first, HasSubstr("action GET on resource \"nodes\""));
  EXPECT_EQ(first, second);
}

}  // namespace
}  // namespace steps
