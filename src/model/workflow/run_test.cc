// SPDX-License-Identifier: Apache-2.0
#include "workflow/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <latch>
#include <mutex>
#include <semaphore>
#include <sstream>
#include <stdexcept>

#include "base/error.h"
#include "host/fake_host.h"
#include "workflow/resume.h"
#include "workflow/written_files.h"

namespace workflow {
namespace {

using base::Error;
using testing::ElementsAre;
using testing::EndsWith;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

// The data of the phases in these tests: the names of the phases that ran, in order.
struct Data {
  std::mutex mutex;
  std::vector<std::string> ran;  // guarded by mutex
  bool enabled = true;

  void Note(const std::string& name) {
    const std::lock_guard lock(mutex);
    ran.push_back(name);
  }
};
using TestPhase = Phase<Data>;
using Body = std::function<void(Data&, Context&)>;

Body Noting(const std::string& name) {
  return [name](Data& data, Context& context) {
    context.Print("line of " + name);
    data.Note(name);
  };
}

Body Failing(const std::string& message, Error::Kind kind = Error::Kind::kOther) {
  return [=](Data&, Context&) { throw Error(kind, message); };
}

struct Outcome {
  std::string out;
  std::string error;
  bool interrupted = false;
};

Outcome RunAll(const std::vector<TestPhase>& phases, Data& data, unsigned threads = 4,
               std::stop_token stop = {}) {
  std::ostringstream out;
  host::FakeClock clock;
  Reporter reporter(clock, {TextLines({.out = out, .clock = clock})});
  Outcome outcome;
  try {
    RunPhases(MakePlan(phases, {}), data,
              {.reporter = reporter, .clock = clock, .threads = threads, .stop = std::move(stop)});
  } catch (const Error& error) {
    outcome.error = error.message();
  } catch (const base::Interrupted& interrupted) {
    outcome.error = interrupted.message();
    outcome.interrupted = true;
  }
  outcome.out = out.str();
  return outcome;
}

TEST(Run, RunsPhasesInListOrderOnOneThread) {
  Data data;
  const Outcome outcome =
      RunAll({{.name = "a", .run = Noting("a")},
              {.name = "g",
               .run = Noting("g"),
               .children = {{.name = "x", .run = Noting("x")}, {.name = "y", .run = Noting("y")}}},
              {.name = "b", .run = Noting("b")}},
             data, 1);
  EXPECT_THAT(data.ran, ElementsAre("a", "g", "x", "y", "b"));
  EXPECT_EQ(outcome.out, "line of a\nline of g\nline of x\nline of y\nline of b\n");
  EXPECT_EQ(outcome.error, "");
}

TEST(Run, ReportsTheFilesThatAPhaseWrites) {
  host::FakeHost fake;
  const Body write = [&](Data&, Context& context) {
    WrittenFiles files(fake.files, context);
    files.Write("/pki/ca.crt.new", "new", {});
    files.Write("/pki/ca.crt", "old", {});
    files.Write("/pki/ca.crt", "new", {});
    files.Remove("/pki/ca.crt.new");
    files.Write("/tmp/run/a", "a", {});
    files.RemoveTree("/tmp/run");
  };
  std::vector<event::WrittenFile> written;
  Reporter reporter(fake.clock, {[&](const Event& event) {
                      if (const auto* finished = std::get_if<event::PhaseFinished>(&event.what)) {
                        written = finished->files;
                      }
                    }});
  Data data;
  RunPhases(MakePlan<Data>({{.name = "a", .run = write}}, {}), data,
            {.reporter = reporter, .clock = fake.clock, .threads = 1});
  ASSERT_EQ(written.size(), 1U);
  EXPECT_THAT(written.front().path, EndsWith("/pki/ca.crt"));
  EXPECT_EQ(written.front().sha256, FileHash("new"));
}

TEST(Run, IndependentPhasesRunConcurrently) {
  Data data;
  std::latch all_there(3);
  const Body meet = [&](Data&, Context&) { all_there.arrive_and_wait(); };
  const Outcome outcome = RunAll(
      {{.name = "a", .run = meet}, {.name = "b", .run = meet}, {.name = "c", .run = meet}}, data);
  EXPECT_EQ(outcome.error, "");  // one after the other, they would wait forever
}

TEST(Run, StartsAPhaseWhenItsNeedsExist) {
  Data data;
  std::latch later_started(1);
  const Outcome outcome =
      RunAll({{.name = "ca",
               .makes = {"ca"},
               .run =
                   [&](Data& d, Context&) {
                     later_started.wait();  // a phase without needs is not delayed
                     d.Note("ca");
                   }},
              {.name = "admin", .needs = {"ca"}, .makes = {"conf"}, .run = Noting("admin")},
              {.name = "use", .needs = {"conf"}, .run = Noting("use")},
              {.name = "free", .run = [&](Data&, Context&) { later_started.count_down(); }}},
             data);
  EXPECT_EQ(outcome.error, "");
  EXPECT_THAT(data.ran, ElementsAre("ca", "admin", "use"));
}

TEST(Run, StartsChildrenAfterTheirGroup) {
  Data data;
  RunAll({{.name = "g",
           .run = Noting("g"),
           .children = {{.name = "x", .run = Noting("x")}, {.name = "y", .run = Noting("y")}}}},
         data);
  ASSERT_EQ(data.ran.size(), 3U);
  EXPECT_EQ(data.ran[0], "g");
}

TEST(Run, PrintsLinesInListOrder) {
  Data data;
  std::latch b_done(1);
  const Outcome outcome =
      RunAll({{.name = "a",
               .run =
                   [&](Data&, Context& context) {
                     context.Print("a begins");
                     b_done.wait();
                     context.Print("a ends");
                   }},
              {.name = "b",
               .makes = {"b"},
               .run = [](Data&, Context& context) { context.Print("b, first\nb, second\n"); }},
              {.name = "c",
               .needs = {"b"},
               .run =
                   [&](Data&, Context& context) {
                     context.Print("c");
                     b_done.count_down();
                   }}},
             data);
  EXPECT_EQ(outcome.out, "a begins\na ends\nb, first\nb, second\nc\n");
}

TEST(Run, ShowsTheFirstUnfinishedPhaseImmediately) {
  Data data;
  std::ostringstream out;
  host::FakeClock clock;
  Reporter reporter(clock, {TextLines({.out = out, .clock = clock})});
  reporter.Emit(event::PhasesPlanned{{"a", "b"}});
  reporter.Emit(event::Message{"b", "b early"});
  EXPECT_EQ(out.str(), "");
  reporter.Emit(event::Message{"a", "a"});
  EXPECT_EQ(out.str(), "a\n");
  reporter.Emit(event::PhaseFinished{.phase = "a"});
  EXPECT_EQ(out.str(), "a\nb early\n");
  reporter.Emit(event::Message{"b", "b late"});
  EXPECT_EQ(out.str(), "a\nb early\nb late\n");
  reporter.Emit(event::PhasesEnded{});
}

TEST(Run, NamesTheFailedPhase) {
  Data data;
  const Outcome outcome =
      RunAll({{.name = "certs", .children = {{.name = "ca", .run = Failing("disk full")}}}}, data);
  EXPECT_EQ(outcome.error, "error execution phase certs/ca: disk full");
}

TEST(Run, NamesTheVisiblePhaseOfAFailedHiddenPart) {
  Data data;
  const Outcome outcome =
      RunAll({{.name = "preflight",
               .children = {{.name = "checks", .hidden = true, .run = Failing("port in use")}}}},
             data);
  EXPECT_EQ(outcome.error, "error execution phase preflight: port in use");
}

TEST(Run, TreatsForeignExceptionsAsFailures) {
  Data data;
  const Outcome outcome = RunAll(
      {{.name = "a", .run = [](Data&, Context&) { throw std::runtime_error("odd"); }}}, data);
  EXPECT_EQ(outcome.error, "error execution phase a: odd");
}

TEST(Run, StartsNoPhaseAfterAFailure) {
  for (const unsigned threads : {1U, 4U}) {
    Data data;
    RunAll({{.name = "a", .makes = {"a"}, .run = Failing("no")},
            {.name = "b", .needs = {"a"}, .run = Noting("b")}},
           data, threads);
    EXPECT_THAT(data.ran, IsEmpty()) << threads;
  }
}

// Waits until the run asks the phase to stop.
void WaitForStop(Context& context) {
  std::binary_semaphore stopped(0);
  const std::stop_callback wake(context.Stop(), [&] { stopped.release(); });
  stopped.acquire();
}

TEST(Run, AFailureStopsOtherPhasesWithoutReportingTheirCancellation) {
  Data data;
  std::latch waiting(1);
  const Outcome outcome = RunAll({{.name = "a",
                                   .run =
                                       [&](Data& d, Context& context) {
                                         context.Print("a was here");
                                         waiting.count_down();
                                         WaitForStop(context);
                                         d.Note("stopped");
                                         throw base::Interrupted("cancelled");
                                       }},
                                  {.name = "b",
                                   .run =
                                       [&](Data&, Context& context) {
                                         context.Print("b was here");
                                         waiting.wait();
                                         throw Error("the real one");
                                       }}},
                                 data);
  EXPECT_EQ(outcome.error, "error execution phase b: the real one");
  EXPECT_THAT(data.ran, ElementsAre("stopped"));
  EXPECT_EQ(outcome.out, "a was here\nb was here\n");
}

TEST(Run, ReportsTheFirstOfSeveralFailuresInTheList) {
  Data data;
  std::latch both(2);
  const Outcome outcome = RunAll({{.name = "a",
                                   .run =
                                       [&](Data&, Context& context) {
                                         both.arrive_and_wait();
                                         WaitForStop(context);  // b has failed by now
                                         throw Error("of a");
                                       }},
                                  {.name = "b",
                                   .run =
                                       [&](Data&, Context&) {
                                         both.arrive_and_wait();
                                         throw Error("of b");
                                       }}},
                                 data);
  EXPECT_EQ(outcome.error, "error execution phase a: of a");
}

TEST(Run, AnInterruptStopsRunningPhasesAndStartsNoOthers) {
  for (const unsigned threads : {1U, 4U}) {
    Data data;
    std::stop_source interrupt;
    const Outcome outcome = RunAll({{.name = "a",
                                     .makes = {"a"},
                                     .run =
                                         [&](Data&, Context& context) {
                                           interrupt.request_stop();
                                           EXPECT_TRUE(context.Stop().stop_requested());
                                         }},
                                    {.name = "b", .needs = {"a"}, .run = Noting("b")}},
                                   data, threads, interrupt.get_token());
    EXPECT_TRUE(outcome.interrupted);
    EXPECT_EQ(outcome.error, "interrupted");
    EXPECT_THAT(data.ran, IsEmpty());
  }
}

TEST(Run, AnInterruptedPhaseIsReportedWhenNothingElseFailed) {
  Data data;
  std::stop_source interrupt;
  const Outcome outcome = RunAll({{.name = "a",
                                   .run =
                                       [&](Data&, Context&) {
                                         interrupt.request_stop();
                                         throw base::Interrupted("gave up waiting");
                                       }}},
                                 data, 4, interrupt.get_token());
  EXPECT_EQ(outcome.error, "error execution phase a: gave up waiting");
  EXPECT_TRUE(outcome.interrupted);
}

TEST(Run, RunsNothingAfterAnEarlyInterrupt) {
  Data data;
  std::stop_source interrupt;
  interrupt.request_stop();
  EXPECT_EQ(RunAll({{.name = "a", .run = Noting("a")}, {.name = "b", .run = Noting("b")}}, data, 4,
                   interrupt.get_token())
                .error,
            "interrupted");
  EXPECT_THAT(data.ran, IsEmpty());
}

TEST(Run, TreatsAPhaseWithAFalseConditionAsDone) {
  Data data;
  data.enabled = false;
  const auto enabled = [](const Data& d) { return d.enabled; };
  const Outcome outcome =
      RunAll({{.name = "a", .makes = {"a"}, .when = enabled, .run = Noting("a")},
              {.name = "g", .when = enabled, .children = {{.name = "x", .run = Noting("x")}}},
              {.name = "b", .needs = {"a"}, .run = Noting("b")}},
             data);
  EXPECT_EQ(outcome.error, "");
  EXPECT_THAT(data.ran, ElementsAre("b"));
}

TEST(Run, EvaluatesAConditionAfterTheNeedsExist) {
  Data data;
  data.enabled = false;
  RunAll({{.name = "a", .makes = {"a"}, .run = [](Data& d, Context&) { d.enabled = true; }},
          {.name = "b",
           .needs = {"a"},
           .when = [](const Data& d) { return d.enabled; },
           .run = Noting("b")}},
         data);
  EXPECT_THAT(data.ran, ElementsAre("b"));
}

TEST(Run, RunsManyPhasesOnFewThreads) {
  Data data;
  std::vector<TestPhase> phases;
  std::string lines;
  for (int i = 0; i < 200; ++i) {
    const std::string name = "p" + std::to_string(i);
    TestPhase phase{.name = name, .makes = {name}, .run = Noting(name)};
    if (i % 3 == 2) {
      phase.needs = {"p" + std::to_string(i - 2)};
    }
    phases.push_back(std::move(phase));
    lines += "line of " + name + "\n";
  }
  const Outcome outcome = RunAll(phases, data, 8);
  EXPECT_EQ(data.ran.size(), 200U);
  EXPECT_EQ(outcome.out, lines);
  for (int i = 2; i < 200; i += 3) {
    EXPECT_LT(std::ranges::find(data.ran, "p" + std::to_string(i - 2)),
              std::ranges::find(data.ran, "p" + std::to_string(i)));
  }
}

TEST(Run, RunsAtMostOnePhasePerThread) {
  Data data;
  int running = 0;  // both guarded by data.mutex
  int most = 0;
  std::latch two(2);
  const auto add = [&](int change) {
    const std::lock_guard lock(data.mutex);
    running += change;
    most = std::max(most, running);
  };
  std::vector<TestPhase> phases;
  for (int i = 0; i < 20; ++i) {
    phases.push_back({.name = "p" + std::to_string(i), .run = [&, i](Data&, Context&) {
                        add(1);
                        if (i < 2) {
                          two.arrive_and_wait();
                        }
                        add(-1);
                      }});
  }
  RunAll(phases, data, 2);
  EXPECT_EQ(most, 2);
}

TEST(Run, ThrowsALogicErrorForDataOfAnotherType) {
  std::ostringstream out;
  host::FakeClock clock;
  Reporter reporter(clock, {TextLines({.out = out, .clock = clock})});
  const Plan plan = MakePlan(std::vector<TestPhase>{{.name = "a", .run = Noting("a")}}, {});
  int other = 0;
  EXPECT_THROW(RunPhases(plan, other, {.reporter = reporter, .clock = clock}), std::logic_error);
}

TEST(Run, ReturnsAtOnceForAnEmptyPlan) {
  Data data;
  EXPECT_EQ(RunAll({}, data).error, "");
}

TEST(Run, EndsAfterAnExceptionOutsideOfAPhase) {
  Data data;
  std::ostringstream out;
  host::FakeClock clock;
  Reporter reporter(clock, {TextLines({.out = out, .clock = clock})});
  class Broken : public host::FakeClock {
   public:
    std::chrono::steady_clock::time_point Steady() const override {
      throw std::runtime_error("no clock");
    }
  } broken;
  const std::vector<TestPhase> phases = {
      {.name = "a", .summary = "a", .makes = {"x"}, .run = Noting("a")},
      {.name = "b", .summary = "b", .needs = {"x"}, .run = Noting("b")}};
  for (const unsigned threads : {1U, 4U}) {
    EXPECT_THROW(RunPhases(MakePlan(phases, {}), data,
                           {.reporter = reporter, .clock = broken, .threads = threads, .stop = {}}),
                 std::runtime_error)
        << threads;
  }
}

}  // namespace
}  // namespace workflow
