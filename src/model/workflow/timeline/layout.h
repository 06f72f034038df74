// SPDX-License-Identifier: Apache-2.0
// Layout: the positions of all elements of a run's drawing.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "workflow/timeline/run.h"

namespace timeline {

// A wide drawing has the names of phases next to their bars. A narrow drawing, for phones, has the
// names above the bars.
enum class Shape { kWide, kNarrow };

// Box is a rectangle in pixels, from its left upper corner.
struct Box {
  double x = 0;
  double y = 0;
  double width = 0;
  double height = 0;

  double Right() const { return x + width; }
  double Bottom() const { return y + height; }
  double Middle() const { return y + height / 2; }
};

// A line of text. The anchor is the start, the middle or the end of its base line.
struct Label {
  enum class Anchor { kStart, kMiddle, kEnd } anchor = Anchor::kStart;
  double x = 0;
  double y = 0;
  std::string text;
};

// A phase: its bar, its name and its duration.
struct PlacedBar {
  std::size_t bar = 0;  // index in RunRecord::bars
  Box row;              // the whole line, which shows details under the pointer
  Box box;
  Label name;
  Label took;
  std::vector<Box> waits;      // boxes of Bar::waits
  std::vector<double> mark_x;  // positions of Bar::marks
};

// A mark of the axis.
struct Tick {
  double x = 0;
  Label label;
};

// Returns the approximate width of a drawn string.
double TextWidth(std::string_view text);

// Connects the end of a phase on the critical path with the beginning of the next one.
struct Link {
  double from_x = 0, from_y = 0;
  double to_x = 0, to_y = 0;
};

struct Layout {
  double width = 0;
  double height = 0;
  Label title;
  Label subtitle;
  Box plot;  // the area of the bars
  std::vector<Tick> ticks;
  std::vector<PlacedBar> bars;
  std::vector<Link> links;
  double legend_y = 0;  // base line of its first row
};

// Stacks the phases in the order in which they began. Bars have a visible minimum width. No text
// extends beyond the drawing.
Layout Place(const RunRecord& run, Shape shape);

// Title and Subtitle of a run: "kubeadm init", "done in 9.1 s · began 2026-01-02T03:04:05.006Z".
std::string Title(const RunRecord& run);
std::string Subtitle(const RunRecord& run);

// Returns the distance between ticks of the axis: 1, 2 or 5 times a power of ten, or a whole number
// of minutes. The axis then has at most `most` ticks.
Milliseconds TickStep(Milliseconds length, int most);

}  // namespace timeline
