#include "workflow/reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "workflow/run.h"
#include "workflow/time_text.h"

namespace workflow {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Data {
  bool enabled = false;
};

// Ten milliseconds pass between two looks at the steady clock.
Clocks TickingClocks() {
  auto ticks = std::make_shared<int>(0);
  return {
      .now = [] { return std::chrono::system_clock::time_point(std::chrono::milliseconds(1500)); },
      .steady =
          [ticks] {
            return std::chrono::steady_clock::time_point(std::chrono::milliseconds(10 * ++*ticks));
          }};
}

std::vector<json::Value> Events(const std::string& lines) {
  std::vector<json::Value> events;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    events.push_back(json::Value::parse(line));
  }
  return events;
}

TEST(TextReporter, QuotedWordsMoveNoCursor) {
  std::ostringstream out;
  std::ostringstream err;
  const auto reporter =
      MakeTextReporter({.out = out, .clocks = TickingClocks(), .terminal_width = 0, .err = &err});
  const std::vector<Phase<Data>> phases = {{.name = "a", .run = [](Data&, Context& context) {
                                              context.Print("\x1b[2Jsaid\n\tmore");
                                              context.Remark("\rsaid");
                                            }}};
  Data data;
  RunPhases(MakePlan(phases, {}), data,
            {.reporter = *reporter, .clocks = TickingClocks(), .threads = 1});
  EXPECT_EQ(out.str(), "\\x1b[2Jsaid\n\tmore\n");
  EXPECT_EQ(err.str(), "\\rsaid\n");
}

TEST(EventReporter, TellsARunAsOneObjectALine) {
  std::ostringstream out;
  const Clocks clocks = TickingClocks();
  const auto reporter = MakeEventReporter(PrintEvents(out), clocks);
  const std::vector<Phase<Data>> phases = {
      {.name = "certs",
       .children = {{.name = "ca",
                     .makes = {"ca"},
                     .run =
                         [](Data&, Context& context) {
                           context.Print("[certs] made");
                           context.Warn("old");
                           context.Progress("waiting");
                           context.Retry("not yet");
                           Context::OfThisThread()->Progress("");
                           context.Result("ca", {{"days", 3650}});
                           context.FileWritten("/pki/ca.crt", "abc");
                         }},
                    {.name = "sa", .run = [](Data&, Context&) {}},
                    {.name = "pub", .needs = {"ca"}, .run = [](Data&, Context&) {}}}},
      {.name = "addon",
       .when = [](const Data& d) { return d.enabled; },
       .run = [](Data&, Context&) {}}};
  Data data;
  Report(*reporter, clocks, [&] {
    reporter->RunStarted("init");
    reporter->Message("[init] begins");
    RunPhases(MakePlan(phases, {.skip = {"certs/sa"}}), data,
              {.reporter = *reporter, .clocks = clocks, .threads = 1});
  });
  const std::string time = "1970-01-01T00:00:01.500Z";
  EXPECT_THAT(
      Events(out.str()),
      ElementsAre(
          json::Value{{"time", time}, {"type", "run_started"}, {"command", "init"}},
          json::Value{{"time", time}, {"type", "message"}, {"text", "[init] begins"}},
          json::Value{{"time", time},
                      {"type", "phase_skipped"},
                      {"phase", "certs/sa"},
                      {"reason", "request"}},
          json::Value{{"time", time}, {"type", "phase_started"}, {"phase", "certs/ca"}},
          json::Value{
              {"time", time}, {"type", "message"}, {"phase", "certs/ca"}, {"text", "[certs] made"}},
          json::Value{{"time", time}, {"type", "warning"}, {"phase", "certs/ca"}, {"text", "old"}},
          json::Value{
              {"time", time}, {"type", "progress"}, {"phase", "certs/ca"}, {"text", "waiting"}},
          json::Value{
              {"time", time}, {"type", "retry"}, {"phase", "certs/ca"}, {"text", "not yet"}},
          json::Value{{"time", time}, {"type", "progress"}, {"phase", "certs/ca"}, {"text", ""}},
          json::Value{{"time", time},
                      {"type", "result"},
                      {"phase", "certs/ca"},
                      {"name", "ca"},
                      {"value", {{"days", 3650}}}},
          json::Value{{"time", time},
                      {"type", "phase_finished"},
                      {"phase", "certs/ca"},
                      {"ms", 10},
                      {"files", {{{"path", "/pki/ca.crt"}, {"sha256", "abc"}}}}},
          json::Value{{"time", time},
                      {"type", "phase_started"},
                      {"phase", "certs/pub"},
                      {"after", {"certs/ca"}}},
          json::Value{
              {"time", time}, {"type", "phase_finished"}, {"phase", "certs/pub"}, {"ms", 10}},
          json::Value{{"time", time},
                      {"type", "phase_skipped"},
                      {"phase", "addon"},
                      {"reason", "condition"}},
          json::Value{{"time", time}, {"type", "run_finished"}, {"ok", true}, {"ms", 60}}));
  EXPECT_EQ(Context::OfThisThread(), nullptr);
}

TEST(EventReporter, TellsFailures) {
  std::ostringstream out;
  const Clocks clocks = TickingClocks();
  const auto reporter = MakeEventReporter(PrintEvents(out), clocks);
  const std::vector<Phase<Data>> phases = {
      {.name = "a", .run = [](Data&, Context&) { throw base::Error("broken"); }}};
  Data data;
  EXPECT_THROW(Report(*reporter, clocks,
                      [&] {
                        RunPhases(MakePlan(phases, {}), data,
                                  {.reporter = *reporter, .clocks = clocks});
                      }),
               base::Error);
  const std::vector<json::Value> events = Events(out.str());
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[1]["type"], "phase_failed");
  EXPECT_EQ(events[1]["error"], "broken");
  EXPECT_EQ(events[2]["ok"], false);
  EXPECT_EQ(events[2]["error"], "error execution phase a: broken");
}

TEST(Tee, TellsBothAllOfIt) {
  std::ostringstream one;
  std::ostringstream other;
  const Clocks clocks = TickingClocks();
  const auto tee = MakeTee(MakeEventReporter(PrintEvents(one), clocks),
                           MakeEventReporter(PrintEvents(other), clocks));
  const base::Error error("broken");
  tee->RunStarted("init");
  tee->Message("m");
  tee->Warning("w", std::source_location::current());
  tee->Result("r", 1);
  tee->Begin({{"a"}, {"b", {0}}});
  tee->LeftOut("c");
  tee->Started(0);
  tee->StepMessage(0, "m");
  tee->StepWarning(0, "w", std::source_location::current());
  tee->StepRemark(0, "m");
  tee->StepProgress(0, "p");
  tee->StepRetry(0, "t");
  tee->StepResult(0, "r", 2);
  tee->StepFile(0, "/f", "abc");
  tee->Finished(0, {});
  tee->Failed(1, error, {});
  tee->Skipped(1);
  tee->End();
  tee->RunFinished(&error, {});
  EXPECT_EQ(Events(one.str()).size(), 16U);
  EXPECT_EQ(one.str(), other.str());
}

TEST(TextReporter, ShowsMessagesAtOnceAndNoEvents) {
  std::ostringstream out;
  const auto reporter = MakeTextReporter({.out = out, .clocks = TickingClocks()});
  reporter->Message("[init] begins");
  reporter->Result("x", 1);
  EXPECT_EQ(out.str(), "[init] begins\n");
}

TEST(TextReporter, HoldsWarningsBackWithTheLines) {
  std::ostringstream out;
  const auto reporter = MakeTextReporter({.out = out, .clocks = TickingClocks()});
  reporter->Begin({{"a"}, {"b"}});
  testing::internal::CaptureStderr();
  reporter->StepWarning(1, "careful", std::source_location::current());
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
  testing::internal::CaptureStderr();
  reporter->Finished(0, {});
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::ContainsRegex("^W.*reporter_test.cc:[0-9]+\\] careful\n"));
  reporter->Warning("at once", std::source_location::current());
  reporter->End();
}

TEST(TextReporter, ShowsWhatIsHeldBackWhenTheRunEndsEarly) {
  std::ostringstream out;
  const auto reporter = MakeTextReporter({.out = out, .clocks = TickingClocks()});
  reporter->Begin({{"a"}, {"b"}, {"c"}});
  reporter->StepMessage(2, "c");
  reporter->StepMessage(1, "b");
  reporter->Failed(1, base::Error("x"), {});
  reporter->End();
  EXPECT_EQ(out.str(), "b\nc\n");
}

TEST(TextReporter, ShowsNoProgressWithoutATerminal) {
  std::ostringstream out;
  const auto reporter = MakeTextReporter({.out = out, .clocks = TickingClocks()});
  reporter->Begin({{"a"}});
  reporter->StepProgress(0, "waiting");
  reporter->Finished(0, {});
  reporter->End();
  EXPECT_EQ(out.str(), "");
}

TEST(TextReporter, EndsItsTickerOnATerminal) {
  std::ostringstream out;
  auto reporter = MakeTextReporter({.out = out, .clocks = TickingClocks(), .terminal_width = 80});
  reporter->Begin({{"a"}});
  reporter->StepProgress(0, "waiting");
  reporter->StepProgress(0, "");
  reporter.reset();  // returns: the thread was asked to stop
  EXPECT_EQ(out.str(), "");
}

TEST(TimeText, IsRfc3339InUtc) {
  using namespace std::chrono;
  EXPECT_EQ(TimeText(sys_days(year(2026) / 1 / 2) + hours(3) + minutes(4) + seconds(5) +
                     milliseconds(6) + nanoseconds(999)),
            "2026-01-02T03:04:05.006Z");
  EXPECT_EQ(TimeText(system_clock::time_point()), "1970-01-01T00:00:00.000Z");
}

}  // namespace
}  // namespace workflow
