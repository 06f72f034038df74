// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/layout.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

namespace timeline {
namespace {

// Measures of one shape, in pixels.
struct Measures {
  double width;
  double margin;
  double row;      // height of a phase's line
  double bar_top;  // top of the bar within the line
  double name_base;
  int ticks;
  std::size_t name_length;  // longer names are truncated at their beginning
};
constexpr Measures kWide{.width = 1000,
                         .margin = 20,
                         .row = 24,
                         .bar_top = 5,
                         .name_base = 16.5,
                         .ticks = 10,
                         .name_length = 44};
constexpr Measures kNarrow{.width = 380,
                           .margin = 14,
                           .row = 38,
                           .bar_top = 18,
                           .name_base = 13,
                           .ticks = 4,
                           .name_length = 36};

constexpr double kHeader = 66;  // height of title and subtitle
constexpr double kAxis = 22;
constexpr double kBar = 14;
constexpr double kThinnest = 2;
constexpr double kGap = 6;       // between a bar and its text
constexpr double kLetter = 6.8;  // width of the widest usual digit or letter
constexpr double kBold = 1.08;   // factor for names on the critical path, which are bold
constexpr double kLegend = 64;

std::string Shortened(const std::string& name, std::size_t length) {
  return name.size() <= length ? name : "…" + name.substr(name.size() - length + 1);
}

std::string TookText(const Bar& bar) {
  std::string took = DurationText(bar.Took());
  switch (bar.state) {
    case Bar::State::kFailed:
      return "✕ failed, " + took;
    case Bar::State::kCancelled:
      return took + ", stopped";
    case Bar::State::kUnfinished:
      return took + ", not ended";
    case Bar::State::kDone:
      break;
  }
  return took;
}

// Converts time to a position on the axis.
class Scale {
 public:
  Scale(const Box& plot, Milliseconds length)
      : plot_(plot), length_(std::max<double>(1, static_cast<double>(length.count()))) {}
  double X(Milliseconds at) const {
    const double share = std::clamp(static_cast<double>(at.count()) / length_, 0.0, 1.0);
    return plot_.x + share * plot_.width;
  }

 private:
  Box plot_;
  double length_;
};

// Places a duration right of the bar if there is room, else left of the bar, else above it at the
// right border.
Label PlaceTook(const Box& box, const Box& row, const std::string& text) {
  const double y = box.Middle() + 4.5;
  if (box.Right() + kGap + TextWidth(text) <= row.Right()) {
    return {.x = box.Right() + kGap, .y = y, .text = text};
  }
  if (box.x - kGap - TextWidth(text) >= row.x) {
    return {.anchor = Label::Anchor::kEnd, .x = box.x - kGap, .y = y, .text = text};
  }
  return {.anchor = Label::Anchor::kEnd, .x = row.Right(), .y = row.y + 13, .text = text};
}

PlacedBar PlaceBar(const RunRecord& run, std::size_t index, const Layout& layout,
                   const Measures& measures) {
  const Bar& bar = run.bars[index];
  const Scale scale(layout.plot, run.length);
  const double y = layout.plot.y + measures.row * static_cast<double>(index);
  const double left = scale.X(bar.begin);
  const auto span = [&](Milliseconds begin, Milliseconds end, double thinnest) -> Box {
    const double x = std::min(scale.X(begin), layout.plot.Right() - thinnest);
    return {.x = x,
            .y = y + measures.bar_top,
            .width = std::max(scale.X(end) - x, thinnest),
            .height = kBar};
  };
  PlacedBar placed{.bar = index,
                   .row = {.x = measures.margin,
                           .y = y,
                           .width = measures.width - 2 * measures.margin,
                           .height = measures.row},
                   .box = span(bar.begin, bar.end, kThinnest),
                   .name = {.x = measures.margin,
                            .y = y + measures.name_base,
                            .text = Shortened(bar.phase, measures.name_length)}};
  Box room = placed.row;
  room.width += room.x - layout.plot.x;
  room.x = layout.plot.x;
  placed.took = PlaceTook(placed.box, room, TookText(bar));
  for (const Wait& wait : bar.waits) {
    placed.waits.push_back(span(wait.begin, wait.end, 0));
  }
  for (const Mark& mark : bar.marks) {
    placed.mark_x.push_back(std::max(left, scale.X(mark.at)));
  }
  return placed;
}

// Formats the label of a tick: "2 s" instead of the duration "2.0 s".
std::string TickText(Milliseconds at) {
  return at.count() % 1'000 == 0 && at < std::chrono::minutes(1)
             ? fmt::format("{}{}", at.count() / 1'000, at.count() == 0 ? "" : " s")
             : DurationText(at);
}

void PlaceTicks(const RunRecord& run, const Measures& measures, Layout& layout) {
  const Scale scale(layout.plot, run.length);
  const Milliseconds step = TickStep(run.length, measures.ticks);
  for (Milliseconds at{0}; at <= run.length; at += step) {
    const double x = scale.X(at);
    layout.ticks.push_back({.x = x,
                            .label = {.anchor = Label::Anchor::kMiddle,
                                      .x = x,
                                      .y = layout.plot.y - 8,
                                      .text = TickText(at)}});
  }
}

void PlaceLinks(const RunRecord& run, Layout& layout) {
  for (std::size_t i = 1; i < run.critical_path.size(); ++i) {
    const Box& from = layout.bars[run.critical_path[i - 1]].box;
    const Box& to = layout.bars[run.critical_path[i]].box;
    layout.links.push_back(
        {.from_x = from.Right(), .from_y = from.Bottom(), .to_x = to.x, .to_y = to.Middle()});
  }
}

double TookWidth(const RunRecord& run) {
  double longest = 0;
  for (const Bar& bar : run.bars) {
    longest = std::max(longest, TextWidth(TookText(bar)));
  }
  return longest + kGap;
}

double GutterWidth(const RunRecord& run, const Measures& measures) {
  double longest = 0;
  for (const Bar& bar : run.bars) {
    longest = std::max(longest, TextWidth(Shortened(bar.phase, measures.name_length)));
  }
  return longest * kBold + 2 * kGap;
}

}  // namespace

double TextWidth(std::string_view text) {
  const auto begins_letter = [](char byte) {
    return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
  };
  return kLetter * static_cast<double>(std::ranges::count_if(text, begins_letter));
}

std::string Title(const RunRecord& run) {
  return run.command.empty() ? "kubeadm" : "kubeadm " + run.command;
}

std::string Subtitle(const RunRecord& run) {
  const std::string took = DurationText(run.length);
  // Milliseconds are useless in a date, and the subtitle must fit the width of a phone.
  const std::string started = run.started.substr(0, run.started.find_first_of(".Z"));
  const std::string from = started.empty() ? "" : fmt::format(" · from {}Z", started);
  if (!run.finished) {
    return fmt::format("not ended after {}{}", took, from);
  }
  return fmt::format("{} {}{}", run.error ? "failed after" : "done in", took, from);
}

Milliseconds TickStep(Milliseconds length, int most) {
  using std::chrono::minutes;
  constexpr std::array<Milliseconds, 4> kMinutes{minutes(1), minutes(2), minutes(5), minutes(10)};
  constexpr std::array<int, 3> kSteps{1, 2, 5};
  const auto fits = [&](Milliseconds step) { return length / step <= most; };
  for (int power = 1; power <= 10'000; power *= 10) {
    for (const int step : kSteps) {
      const Milliseconds distance(step * power);
      if (fits(distance) && distance <= std::chrono::seconds(20)) {
        return distance;
      }
    }
  }
  const auto found = std::ranges::find_if(kMinutes, fits);
  return found != kMinutes.end() ? *found : minutes(10) * (1 + length / minutes(10) / most);
}

Layout Place(const RunRecord& run, Shape shape) {
  const Measures& measures = shape == Shape::kWide ? kWide : kNarrow;
  const double gutter = shape == Shape::kWide ? GutterWidth(run, measures) : 0;
  Layout layout{.width = measures.width,
                .title = {.x = measures.margin, .y = 30, .text = Title(run)},
                .subtitle = {.x = measures.margin, .y = 50, .text = Subtitle(run)}};
  layout.plot = {.x = measures.margin + gutter,
                 .y = kHeader + kAxis,
                 .width = measures.width - 2 * measures.margin - gutter,
                 .height = measures.row * static_cast<double>(run.bars.size())};
  // Durations are right of their bars. The duration of the bar that ends last also needs room.
  layout.plot.width -= shape == Shape::kWide ? TookWidth(run) : 0;
  PlaceTicks(run, measures, layout);
  for (std::size_t i = 0; i < run.bars.size(); ++i) {
    layout.bars.push_back(PlaceBar(run, i, layout, measures));
  }
  PlaceLinks(run, layout);
  layout.legend_y = layout.plot.Bottom() + 26;
  layout.height = layout.plot.Bottom() + kLegend;
  return layout;
}

}  // namespace timeline
