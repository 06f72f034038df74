// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/run.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "workflow/timeline/events.h"

namespace timeline {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

namespace event = workflow::event;
using workflow::Event;

// An event at that many milliseconds after three o'clock.
Event At(int ms, event::What what) {
  using namespace std::chrono;
  return {.time = sys_days(year(2026) / 1 / 2) + hours(3) + milliseconds(ms),
          .what = std::move(what)};
}
event::PhaseStarted Started(const std::string& phase) { return {.phase = phase, .after = {}}; }
event::PhaseFinished Finished(const std::string& phase) { return {.phase = phase}; }

std::vector<std::string> CriticalPhases(const RunRecord& run) {
  std::vector<std::string> phases;
  for (const std::size_t index : run.critical_path) {
    phases.push_back(run.bars[index].phase);
  }
  return phases;
}

TEST(ReadRun, ReadsPhasesWithTheirWaitsAndMarks) {
  const RunRecord run = ReadRun(std::vector<Event>{
      At(0, event::RunStarted{"init"}), At(10, Started("certs")),
      At(20, event::Progress{"certs", "waiting for rain"}),
      At(30, event::Retry{"certs", "no cloud"}),
      At(50, event::Progress{"certs", "waiting for sun"}),
      At(60, event::Progress{"certs", std::nullopt}), At(70, event::Warning{"certs", "old"}),
      At(80, event::Unknown{}), At(100, Finished("certs")),
      At(100, event::PhaseSkipped{.phase = "addon"}), At(120, event::RunFinished{})});
  EXPECT_EQ(run.command, "init");
  EXPECT_EQ(run.started, "2026-01-02T03:00:00.000Z");
  EXPECT_EQ(run.length, Milliseconds(120));
  EXPECT_TRUE(run.finished);
  ASSERT_EQ(run.bars.size(), 1U);
  const Bar& bar = run.bars[0];
  EXPECT_EQ(bar.state, Bar::State::kDone);
  EXPECT_EQ(bar.begin, Milliseconds(10));
  EXPECT_EQ(bar.Took(), Milliseconds(90));
  ASSERT_EQ(bar.waits.size(), 2U);
  EXPECT_EQ(bar.waits[0].text, "waiting for rain");
  EXPECT_EQ(bar.waits[0].end, Milliseconds(50));
  EXPECT_EQ(bar.waits[1].end, Milliseconds(60));
  ASSERT_EQ(bar.marks.size(), 2U);
  EXPECT_EQ(bar.marks[0].kind, Mark::Kind::kRetry);
  EXPECT_EQ(bar.marks[0].text, "no cloud");
  EXPECT_EQ(bar.marks[1].kind, Mark::Kind::kWarning);
  EXPECT_EQ(bar.marks[1].at, Milliseconds(70));
  ASSERT_EQ(run.skipped.size(), 1U);
  EXPECT_EQ(run.skipped[0].phase, "addon");
}

TEST(ReadRun, ReadsHowPhasesEnd) {
  const RunRecord run = ReadRun(std::vector<Event>{
      At(0, Started("bad")), At(0, Started("stopped")), At(0, Started("cut off")),
      At(10, event::Progress{"cut off", "waiting"}),
      At(40, event::PhaseFailed{.phase = "bad", .error = "disk full"}),
      At(50, event::PhaseFailed{.phase = "stopped", .error = "", .cancelled = true})});
  EXPECT_FALSE(run.finished);
  EXPECT_EQ(run.bars[0].state, Bar::State::kFailed);
  EXPECT_EQ(run.bars[0].error, "disk full");
  EXPECT_EQ(run.bars[1].state, Bar::State::kCancelled);
  EXPECT_EQ(run.bars[2].state, Bar::State::kUnfinished);
  EXPECT_EQ(run.bars[2].end, Milliseconds(50));
  EXPECT_EQ(run.bars[2].waits[0].end, Milliseconds(50));
  EXPECT_THAT(CriticalPhases(run), ElementsAre("bad"));
}

TEST(ReadRun, ReadsTheLastOfSeveralRuns) {
  const RunRecord run = ReadRun(std::vector<Event>{
      At(0, event::RunStarted{"reset"}), At(1, Started("old")), At(2, Finished("old")),
      At(5000, event::RunStarted{"init"}), At(5001, Started("new")), At(5002, Finished("new"))});
  EXPECT_EQ(run.command, "init");
  ASSERT_EQ(run.bars.size(), 1U);
  EXPECT_EQ(run.bars[0].begin, Milliseconds(1));
}

TEST(ReadRun, ToleratesUnknownEvents) {
  // An end without a begin, a clock that is set back, missing names, an empty list.
  const RunRecord run = ReadRun(std::vector<Event>{
      At(500, Finished("never begun")), At(600, Started("a")), At(100, Finished("a")),
      At(700, Started("")), At(700, event::RunFinished{})});
  EXPECT_EQ(run.bars[0].Took(), Milliseconds(0));
  EXPECT_EQ(run.length, Milliseconds(200));
  EXPECT_THAT(ReadRun({}).bars, IsEmpty());
}

TEST(CriticalPath, FollowsTheDependenciesBackwards) {
  struct Case {
    std::string name;
    std::vector<Bar> bars;
    std::vector<std::size_t> want;
  };
  const auto bar = [](const std::string& phase, int begin, int end,
                      std::vector<std::string> after = {}) {
    return Bar{.state = Bar::State::kDone,
               .phase = phase,
               .begin = Milliseconds(begin),
               .end = Milliseconds(end),
               .after = std::move(after)};
  };
  Bar failed = bar("b", 10, 30, {"a"});
  failed.state = Bar::State::kFailed;
  for (const Case& c : std::initializer_list<Case>{
           {"nothing", {}, {}},
           {"the last of two needs",
            {bar("a", 0, 100), bar("b", 0, 300), bar("c", 301, 500, {"a", "b"})},
            {1, 2}},
           {"not what merely ran beside it",
            {bar("a", 0, 300), bar("b", 0, 299), bar("c", 301, 500, {"b"})},
            {1, 2}},
           {"a thread that became free",
            {bar("a", 0, 100), bar("b", 0, 400), bar("c", 401, 500, {"a"})},
            {1, 2}},
           {"one after the other", {bar("a", 0, 100), bar("b", 100, 200)}, {0, 1}},
           {"late for no known reason", {bar("a", 0, 100), bar("b", 300, 400, {"a"})}, {0, 1}},
           {"a pause before which nobody is known", {bar("a", 0, 100), bar("b", 300, 400)}, {1}},
           {"what failed ended the run", {bar("a", 0, 10), failed, bar("c", 10, 90)}, {0, 1}},
           {"phases of no length",
            {bar("a", 5, 5), bar("b", 5, 5, {"a"}), bar("c", 5, 5, {"b"})},
            {0, 1, 2}}}) {
    EXPECT_EQ(CriticalPath(c.bars), c.want) << c.name;
  }
}

TEST(ParseEvents, NamesTheBadLine) {
  const std::string good = R"({"type":"message","time":"2026-01-02T03:04:05.006Z"})";
  EXPECT_EQ(ParseEvents(good + "\n\n" + good + "\r\n").size(), 2U);
  struct Case {
    std::string line, want;
  };
  for (const Case& c : std::initializer_list<Case>{
           {"{", "line 2 is not an event"},
           {"[]", "line 2 is not an event: it is not a JSON object"},
           {R"({"time":"2026-01-02T03:04:05Z"})", R"(line 2 is not an event: it has no "type")"},
           {R"({"type":"x","time":"noon"})",
            R"(line 2 is not an event: it has no "time" as RFC 3339)"}}) {
    const base::Error error = base::Thrown([&] { ParseEvents(good + "\n" + c.line); });
    EXPECT_THAT(error.message(), HasSubstr(c.want));
    EXPECT_EQ(error.kind(), base::Error::Kind::kInvalid);
  }
}

TEST(DurationText, IsReadable) {
  EXPECT_EQ(DurationText(Milliseconds(0)), "0 ms");
  EXPECT_EQ(DurationText(Milliseconds(999)), "999 ms");
  EXPECT_EQ(DurationText(Milliseconds(1'449)), "1.4 s");
  EXPECT_EQ(DurationText(Milliseconds(59'949)), "59.9 s");
  EXPECT_EQ(DurationText(Milliseconds(59'950)), "1 m 00 s");
  EXPECT_EQ(DurationText(Milliseconds(125'000)), "2 m 05 s");
}

}  // namespace
}  // namespace timeline
