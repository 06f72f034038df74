// SPDX-License-Identifier: Apache-2.0
#include "workflow/reporter.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <sstream>

#include "base/error.h"
#include "cli/terminal.h"
#include "host/fake_host.h"
#include "json/value.h"
#include "workflow/event_json.h"
#include "workflow/run.h"
#include "workflow/time_text.h"

namespace workflow {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

struct Data {
  bool enabled = false;
};

// A clock whose steady time advances by ten milliseconds at each read. Pauses take real time.
class TickingClock : public host::FakeClock {
 public:
  TickingClock() { Set(std::chrono::system_clock::time_point(std::chrono::milliseconds(1500))); }
  std::chrono::steady_clock::time_point Steady() const override {
    return std::chrono::steady_clock::time_point(std::chrono::milliseconds(10 * ++ticks_));
  }
  bool Sleep(std::chrono::nanoseconds duration, std::stop_token stop) override {
    return host::RealClock().Sleep(duration, std::move(stop));
  }

 private:
  mutable std::atomic<int> ticks_ = 0;
};

std::vector<json::Value> Events(const std::string& lines) {
  std::vector<json::Value> events;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) {
    events.push_back(json::Value::parse(line));
  }
  return events;
}

TEST(TextLines, EscapesControlCharacters) {
  TickingClock clock;
  std::ostringstream out;
  std::ostringstream err;
  const cli::Terminal terminal(out, err, {});
  Reporter reporter(clock,
                    {TextLines({.out = out, .clock = clock, .terminal_width = 0, .err = &err})});
  const std::vector<Phase<Data>> phases = {{.name = "a", .run = [](Data&, Context& context) {
                                              context.Print("\x1b[2Jsaid\n\tmore");
                                              context.Remark("\rsaid");
                                            }}};
  Data data;
  RunPhases(MakePlan(phases, {}), data, {.reporter = reporter, .clock = clock, .threads = 1});
  EXPECT_EQ(out.str(), "\\x1b[2Jsaid\n\tmore\n");
  EXPECT_EQ(err.str(), "\\rsaid\n");
}

TEST(JsonLines, PrintsOneObjectPerLine) {
  std::ostringstream out;
  TickingClock clock;
  Reporter reporter(clock, {JsonLines(out)});
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
                           context.Progress({});
                           context.Result("ca", {{"days", 3650}});
                           context.FileWritten("/pki/ca.crt", "abc");
                         }},
                    {.name = "sa", .run = [](Data&, Context&) {}},
                    {.name = "pub", .needs = {"ca"}, .run = [](Data&, Context&) {}}}},
      {.name = "addon",
       .when = [](const Data& d) { return d.enabled; },
       .run = [](Data&, Context&) {}}};
  Data data;
  Report(reporter, clock, [&] {
    reporter.Emit(event::RunStarted{"init"});
    reporter.Message("[init] begins");
    RunPhases(MakePlan(phases, {.skip = {"certs/sa"}}), data,
              {.reporter = reporter, .clock = clock, .threads = 1});
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
}

TEST(JsonLines, PrintsFailures) {
  std::ostringstream out;
  TickingClock clock;
  Reporter reporter(clock, {JsonLines(out)});
  const std::vector<Phase<Data>> phases = {
      {.name = "a", .run = [](Data&, Context&) { throw base::Error("broken"); }}};
  Data data;
  EXPECT_THROW(
      Report(
          reporter, clock,
          [&] { RunPhases(MakePlan(phases, {}), data, {.reporter = reporter, .clock = clock}); }),
      base::Error);
  const std::vector<json::Value> events = Events(out.str());
  ASSERT_EQ(events.size(), 3U);
  EXPECT_EQ(events[1]["type"], "phase_failed");
  EXPECT_EQ(events[1]["error"], "broken");
  EXPECT_EQ(events[2]["ok"], false);
  EXPECT_EQ(events[2]["error"], "error execution phase a: broken");
}

// Returns an event with the zero time.
Event Now(event::What what) { return {.time = {}, .what = std::move(what)}; }

TEST(Reporter, NotifiesAllListenersInTheirOrder) {
  TickingClock clock;
  std::vector<std::string> heard;
  const auto note = [&](const std::string& who) {
    return [&heard, who](const Event& event) {
      heard.push_back(who + " " + std::get<event::Message>(event.what).text);
    };
  };
  Reporter reporter(clock, {note("one"), note("other")});
  reporter.Message("m");
  EXPECT_THAT(heard, ElementsAre("one m", "other m"));
}

TEST(TextLines, ShowsMessagesAtOnceAndNoEvents) {
  TickingClock clock;
  std::ostringstream out;
  const Listener tell = TextLines({.out = out, .clock = clock});
  tell(Now(event::RunStarted{"init"}));
  tell(Now(event::Message{{}, "[init] begins"}));
  tell(Now(event::Result{{}, "x", 1}));
  EXPECT_EQ(out.str(), "[init] begins\n");
}

TEST(TextLines, HoldsWarningsBackWithTheLines) {
  TickingClock clock;
  std::ostringstream out;
  const Listener tell = TextLines({.out = out, .clock = clock});
  tell(Now(event::PhasesPlanned{{"a", "b"}}));
  testing::internal::CaptureStderr();
  tell(Now(event::Warning{.phase = "b", .text = "careful"}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), IsEmpty());
  testing::internal::CaptureStderr();
  tell(Now(event::PhaseFinished{.phase = "a"}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              testing::ContainsRegex("^W.*reporter_test.cc:[0-9]+\\] careful\n"));
  tell(Now(event::Warning{.phase = {}, .text = "at once"}));
  tell(Now(event::PhasesEnded{}));
}

TEST(TextLines, ShowsHeldBackLinesWhenTheRunEndsEarly) {
  TickingClock clock;
  std::ostringstream out;
  const Listener tell = TextLines({.out = out, .clock = clock});
  tell(Now(event::PhasesPlanned{{"a", "b", "c"}}));
  tell(Now(event::PhaseSkipped{.phase = "none of them"}));
  tell(Now(event::Message{"c", "c"}));
  tell(Now(event::Message{"b", "b"}));
  tell(Now(event::PhaseFailed{.phase = "b", .error = "x"}));
  tell(Now(event::PhasesEnded{}));
  EXPECT_EQ(out.str(), "b\nc\n");
}

TEST(TextLines, ShowsNoProgressWithoutATerminal) {
  TickingClock clock;
  std::ostringstream out;
  const Listener tell = TextLines({.out = out, .clock = clock});
  tell(Now(event::PhasesPlanned{{"a"}}));
  tell(Now(event::Progress{"a", "waiting"}));
  tell(Now(event::PhaseFinished{.phase = "a"}));
  tell(Now(event::PhasesEnded{}));
  EXPECT_EQ(out.str(), "");
}

TEST(TextLines, EndsItsTickerOnATerminal) {
  TickingClock clock;
  std::ostringstream out;
  Listener tell = TextLines({.out = out, .clock = clock, .terminal_width = 80});
  tell(Now(event::PhasesPlanned{{"a"}}));
  tell(Now(event::Progress{"a", "waiting"}));
  tell(Now(event::Progress{"a", std::nullopt}));
  tell = nullptr;  // returns only if the thread was stopped
  EXPECT_EQ(out.str(), "");
}

TEST(EventJson, RoundTrips) {
  using std::chrono::milliseconds;
  const std::vector<event::WrittenFile> files = {{"/pki/ca.crt", "abc"}};
  for (const event::What& what : std::initializer_list<event::What>{
           event::RunStarted{"init"}, event::RunFinished{.took = milliseconds(5), .error = {}},
           event::RunFinished{.took = milliseconds(5), .error = "broken"},
           event::PhaseStarted{"a", {"b", "c"}}, event::PhaseSkipped{.phase = "a"},
           event::PhaseSkipped{.phase = "a", .reason = event::PhaseSkipped::Reason::kCondition},
           event::PhaseFinished{"a", milliseconds(7), files},
           event::PhaseFailed{"a", milliseconds(7), "broken", true, files}, event::Message{{}, "m"},
           event::Message{"a", "m"}, event::Warning{"a", "w"}, event::Progress{"a", "p"},
           event::Retry{"a", "r"}, event::Result{"a", "n", {{"x", 1}}}}) {
    const Event made{.time = std::chrono::system_clock::time_point(milliseconds(1500)),
                     .what = what};
    const std::optional<json::Value> object = ToJson(made);
    ASSERT_TRUE(object);
    const std::optional<Event> read = FromJson(*object);
    ASSERT_TRUE(read) << json::Compact(*object);
    EXPECT_EQ(read->what.index(), what.index()) << json::Compact(*object);
    EXPECT_EQ(ToJson(*read), object);
  }
}

TEST(EventJson, OmitsFieldsForHumans) {
  EXPECT_EQ(ToJson(Now(event::PhasesPlanned{{"a"}})), std::nullopt);
  EXPECT_EQ(ToJson(Now(event::PhasesEnded{})), std::nullopt);
  EXPECT_EQ((*ToJson(Now(event::Remark{"a", "r"})))["type"], "warning");
}

TEST(EventJson, ToleratesUnknownObjects) {
  const std::string time = "2026-01-02T03:04:05.006Z";
  EXPECT_FALSE(FromJson({{"type", "message"}}));
  EXPECT_FALSE(FromJson({{"time", time}}));
  EXPECT_FALSE(FromJson(json::Value::array()));
  const auto unknown = FromJson({{"type", "from the future"}, {"time", time}});
  ASSERT_TRUE(unknown);
  EXPECT_TRUE(std::holds_alternative<event::Unknown>(unknown->what));
  const auto odd =
      FromJson({{"type", "phase_started"}, {"time", time}, {"phase", 7}, {"after", "x"}});
  ASSERT_TRUE(odd);
  EXPECT_EQ(std::get<event::PhaseStarted>(odd->what).phase, "");
  EXPECT_THAT(std::get<event::PhaseStarted>(odd->what).after, IsEmpty());
}

TEST(TimeText, IsRfc3339InUtc) {
  using namespace std::chrono;
  EXPECT_EQ(TimeText(sys_days(year(2026) / 1 / 2) + hours(3) + minutes(4) + seconds(5) +
                     milliseconds(6) + nanoseconds(999)),
            "2026-01-02T03:04:05.006Z");
  EXPECT_EQ(TimeText(system_clock::time_point()), "1970-01-01T00:00:00.000Z");
}

TEST(TimeText, ParsesMilliseconds) {
  const auto milliseconds = [](std::string_view text) -> std::optional<int> {
    const auto time = ParseTimeText(text);
    return time ? std::optional<int>(time->time_since_epoch() / std::chrono::milliseconds(1))
                : std::nullopt;
  };
  EXPECT_EQ(milliseconds("1970-01-01T00:00:01.5Z"), 1'500);
  EXPECT_EQ(milliseconds("1970-01-01T00:00:01.0069Z"), 1'006);
  EXPECT_EQ(milliseconds("1970-01-01T00:00:01Z"), 1'000);
  EXPECT_EQ(milliseconds("1970-01-01"), std::nullopt);
}

}  // namespace
}  // namespace workflow
