// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/draw.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "workflow/timeline/layout.h"
#include "workflow/timeline/markup.h"

namespace timeline {
namespace {

using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;

Bar MadeBar(const std::string& phase, int begin, int end) {
  return {.state = Bar::State::kDone,
          .phase = phase,
          .begin = Milliseconds(begin),
          .end = Milliseconds(end)};
}

// Returns a run of 1 s. The last bar ends at the end of the plot.
RunRecord MadeRun(std::vector<Bar> bars) {
  RunRecord run{
      .command = "init", .started = "2026-01-02T03:04:05.006Z", .length = Milliseconds(1'000)};
  run.finished = true;
  run.bars = std::move(bars);
  return run;
}

constexpr Shape kShapes[] = {Shape::kWide, Shape::kNarrow};

double LeftOf(const Label& label) {
  return label.anchor == Label::Anchor::kEnd ? label.x - TextWidth(label.text) : label.x;
}
double RightOf(const Label& label) { return LeftOf(label) + TextWidth(label.text); }

TEST(Place, StacksBarsAndScalesThemToTheirDuration) {
  const RunRecord run =
      MadeRun({MadeBar("a", 0, 500), MadeBar("b", 250, 1'000), MadeBar("c", 500, 600)});
  for (const Shape shape : kShapes) {
    const Layout layout = Place(run, shape);
    ASSERT_EQ(layout.bars.size(), 3U);
    for (std::size_t i = 1; i < 3; ++i) {
      EXPECT_GE(layout.bars[i].box.y, layout.bars[i - 1].box.Bottom());
      EXPECT_GE(layout.bars[i].row.y, layout.bars[i - 1].row.Bottom());
    }
    const Box& plot = layout.plot;
    EXPECT_DOUBLE_EQ(layout.bars[0].box.x, plot.x);
    EXPECT_DOUBLE_EQ(layout.bars[0].box.width, plot.width / 2);
    EXPECT_DOUBLE_EQ(layout.bars[1].box.x, plot.x + plot.width / 4);
    EXPECT_DOUBLE_EQ(layout.bars[1].box.Right(), plot.Right());
    EXPECT_DOUBLE_EQ(layout.bars[2].box.x, layout.bars[0].box.Right());
    EXPECT_LE(plot.Bottom(), layout.legend_y);
    EXPECT_LE(layout.legend_y, layout.height);
  }
}

TEST(Place, KeepsLabelsInsideTheDrawingAndOffTheBars) {
  std::vector<Bar> bars;
  for (const int begin : {0, 100, 500, 900, 990, 1'000}) {
    for (const int end : {begin, begin + 5, 700, 1'000}) {
      if (end >= begin && end <= 1'000) {
        bars.push_back(MadeBar("upload-config/kubeadm-and-a-very-long-name-indeed", begin, end));
        bars.back().state = Bar::State::kFailed;
      }
    }
  }
  const RunRecord run = MadeRun(bars);
  for (const Shape shape : kShapes) {
    const Layout layout = Place(run, shape);
    for (const PlacedBar& placed : layout.bars) {
      EXPECT_LE(RightOf(placed.name), layout.width);
      EXPECT_GE(LeftOf(placed.took), 0);
      EXPECT_LE(RightOf(placed.took), layout.width);
      EXPECT_LE(placed.box.Right(), layout.plot.Right() + 0.01);
      EXPECT_GT(placed.box.width, 1);
      const bool beside = RightOf(placed.took) <= placed.box.x ||
                          LeftOf(placed.took) >= placed.box.Right() ||
                          placed.took.y <= placed.box.y;
      EXPECT_TRUE(beside) << placed.took.text;
      if (shape == Shape::kWide) {
        EXPECT_LE(RightOf(placed.name), layout.plot.x);
      }
    }
  }
}

TEST(Place, FitsTheLongestSubtitleIntoBothLayouts) {
  RunRecord run = MadeRun({MadeBar("a", 0, 500)});
  run.length = std::chrono::minutes(59) + std::chrono::seconds(59);
  run.finished = false;
  for (const Shape shape : kShapes) {
    const Layout layout = Place(run, shape);
    EXPECT_EQ(layout.subtitle.text, "not ended after 59 m 59 s · from 2026-01-02T03:04:05Z");
    EXPECT_LE(RightOf(layout.subtitle), layout.width);
  }
}

TEST(Place, DrawsWaitsAndMarksOnTheirBar) {
  Bar bar = MadeBar("a", 200, 800);
  bar.waits = {{.begin = Milliseconds(300), .end = Milliseconds(500), .text = "x"}};
  bar.marks = {{.kind = Mark::Kind::kRetry, .at = Milliseconds(400), .text = "y"}};
  const Layout layout = Place(MadeRun({bar}), Shape::kWide);
  const PlacedBar& placed = layout.bars[0];
  ASSERT_EQ(placed.waits.size(), 1U);
  EXPECT_GT(placed.waits[0].x, placed.box.x);
  EXPECT_LT(placed.waits[0].Right(), placed.box.Right());
  EXPECT_DOUBLE_EQ(placed.mark_x.at(0), placed.waits[0].x + placed.waits[0].width / 2);
}

TEST(Place, DrawsLinksAlongTheCriticalPath) {
  RunRecord run = MadeRun({MadeBar("a", 0, 400), MadeBar("b", 0, 100), MadeBar("c", 400, 1'000)});
  run.critical_path = {0, 2};
  const Layout layout = Place(run, Shape::kWide);
  ASSERT_EQ(layout.links.size(), 1U);
  EXPECT_DOUBLE_EQ(layout.links[0].from_x, layout.bars[0].box.Right());
  EXPECT_DOUBLE_EQ(layout.links[0].to_x, layout.bars[2].box.x);
}

TEST(Place, DrawsAnEmptyRun) {
  for (const Shape shape : kShapes) {
    const Layout layout = Place({}, shape);
    EXPECT_EQ(layout.ticks.size(), 1U);
    EXPECT_GT(layout.height, 0);
  }
}

TEST(TickStep, LeavesRoomBetweenTheTicks) {
  struct Case {
    int length_ms, most, want_ms;
  };
  for (const Case& c : std::initializer_list<Case>{{0, 10, 1},
                                                   {9, 10, 1},
                                                   {950, 10, 100},
                                                   {1'200, 10, 200},
                                                   {9'100, 10, 1'000},
                                                   {9'100, 4, 2'000},
                                                   {100'000, 10, 10'000},
                                                   {200'000, 10, 20'000},
                                                   {220'000, 10, 60'000},
                                                   {300'000, 10, 60'000},
                                                   {3'600'000, 4, 1'200'000}}) {
    EXPECT_EQ(TickStep(Milliseconds(c.length_ms), c.most), Milliseconds(c.want_ms)) << c.length_ms;
  }
  for (int length = 1; length < 10'000'000; length = length * 13 / 10 + 1) {
    EXPECT_LE(Milliseconds(length) / TickStep(Milliseconds(length), 4), 4) << length;
  }
}

TEST(Svg, MarksFailedPhases) {
  Bar bad = MadeBar("certs/ca", 0, 1'000);
  bad.state = Bar::State::kFailed;
  bad.error = "disk full";
  RunRecord run = MadeRun({bad, MadeBar("good", 0, 10)});
  run.error = "error execution phase certs/ca: disk full";
  const std::string svg = Svg(run);
  EXPECT_THAT(svg, HasSubstr("failed after 1.0 s"));
  EXPECT_THAT(svg, ContainsRegex("data-phase=\"certs/ca\">\n<title>certs/ca: 1.0 s"));
  EXPECT_THAT(svg, HasSubstr("error: disk full"));
  EXPECT_THAT(svg, ContainsRegex("class=\"bar failed\" x=\"[0-9.]+\" y=\"[0-9.]+\" width=\"[^2]"));
  EXPECT_THAT(svg, HasSubstr("✕ failed, 1.0 s"));
  EXPECT_THAT(Svg(MadeRun({MadeBar("good", 0, 10)})), Not(HasSubstr("✕ failed")));
}

TEST(Svg, SaysThatARunHasNotEnded) {
  RunRecord run = MadeRun({});
  run.finished = false;
  EXPECT_THAT(Svg(run), HasSubstr("kubeadm init, not ended after 1.0 s"));
}

TEST(Svg, EscapesTexts) {
  Bar bar = MadeBar("a<b>&\"c'", 0, 1'000);
  bar.marks = {{.kind = Mark::Kind::kWarning, .text = "</title><script>\x01\xff"}};
  for (const std::string& drawing : {Svg(MadeRun({bar})), Html(MadeRun({bar}))}) {
    EXPECT_THAT(drawing, Not(HasSubstr("<script>")));
    EXPECT_THAT(drawing, Not(HasSubstr("\x01")));
    EXPECT_THAT(drawing, HasSubstr("data-phase=\"a&lt;b&gt;&amp;&quot;c&#39;\""));
    EXPECT_THAT(drawing, HasSubstr("&lt;/title&gt;&lt;script&gt;\uFFFD\uFFFD"));
  }
}

TEST(Html, HasTheWideAndTheNarrowLayoutAndATable) {
  Bar bar = MadeBar("certs/ca", 0, 1'000);
  bar.waits = {{.begin = Milliseconds(0), .end = Milliseconds(900), .text = "waiting for rain"}};
  RunRecord run = MadeRun({bar});
  run.critical_path = {0};
  run.skipped = {{"addon", workflow::event::PhaseSkipped::Reason::kRequest},
                 {"etcd", workflow::event::PhaseSkipped::Reason::kCondition}};
  const std::string page = Html(run);
  EXPECT_THAT(page, HasSubstr("class=\"timeline wide\""));
  EXPECT_THAT(page, HasSubstr("class=\"timeline narrow\""));
  EXPECT_THAT(page, HasSubstr("url(#w-wait)"));
  EXPECT_THAT(page, HasSubstr("url(#n-wait)"));
  EXPECT_THAT(page, HasSubstr("<b>certs/ca</b>"));
  EXPECT_THAT(page, HasSubstr("waiting for rain: 900 ms"));
  EXPECT_THAT(page, HasSubstr("addon: left out by request"));
  EXPECT_THAT(page, HasSubstr("etcd: does not apply here"));
  EXPECT_THAT(page, Not(HasSubstr("http://www.w3.org/1999/xlink")));
  EXPECT_THAT(page, Not(HasSubstr("src=")));
}

TEST(Markup, WritesElements) {
  Markup out;
  out.Open("g", {{"x", 1.5}, {"y", 2.0}, {"z", 1.0 / 3}});
  out.Empty("rect", {{"class", "a&b"}});
  out.Text("text", {}, "1 < 2");
  out.Close("g");
  EXPECT_EQ(out.text(),
            "<g x=\"1.5\" y=\"2\" z=\"0.33\">\n<rect class=\"a&amp;b\"/>\n"
            "<text>1 &lt; 2</text>\n</g>\n");
}

TEST(FormOf, IsChosenByTheFileExtension) {
  EXPECT_EQ(FormOf("/a/run.svg"), Form::kSvg);
  EXPECT_EQ(FormOf("RUN.HTML"), Form::kHtml);
  for (const char* path : {"run", "run.svg.gz", "html", ""}) {
    EXPECT_THROW(FormOf(path), base::Error) << path;
  }
}

TEST(Draw, WritesTheChosenFormat) {
  const std::vector<workflow::Event> events = {{.what = workflow::event::RunStarted{"init"}}};
  EXPECT_EQ(Draw(events, Form::kSvg), Svg(ReadRun(events)));
  EXPECT_EQ(Draw(events, Form::kHtml), Html(ReadRun(events)));
}

}  // namespace
}  // namespace timeline
