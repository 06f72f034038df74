// SPDX-License-Identifier: Apache-2.0
// Layout: where everything of a run's drawing goes.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "timeline/run.h"

namespace timeline {

// Shape: wide has the names of the phases beside their bars, narrow (for phones) above them.
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

// Label is a line of text whose base line begins, or ends, at a point.
struct Label {
  enum class Anchor { kStart, kMiddle, kEnd } anchor = Anchor::kStart;
  double x = 0;
  double y = 0;
  std::string text;
};

// PlacedBar is a phase: its bar, its name and how long it took.
struct PlacedBar {
  std::size_t bar = 0;  // index in RunRecord::bars
  Box row;              // all of the line, for the pointer
  Box box;
  Label name;
  Label took;
  std::vector<Box> waits;      // of Bar::waits
  std::vector<double> mark_x;  // of Bar::marks
};

// Tick is a mark of the axis.
struct Tick {
  double x = 0;
  Label label;
};

// TextWidth is about how wide a text is drawn.
double TextWidth(std::string_view text);

// Link leads from the end of a phase on the critical path to the begin of the next one.
struct Link {
  double from_x = 0, from_y = 0;
  double to_x = 0, to_y = 0;
};

struct Layout {
  double width = 0;
  double height = 0;
  Label title;
  Label subtitle;
  Box plot;  // where the bars are
  std::vector<Tick> ticks;
  std::vector<PlacedBar> bars;
  std::vector<Link> links;
  double legend_y = 0;  // base line of its first row
};

// Place puts the phases below each other in the order in which they began. Bars are at least so
// wide that they can be seen, and no text leaves the drawing.
Layout Place(const RunRecord& run, Shape shape);

// Title and Subtitle of a run: "kubeadm init", "done in 9.1 s · began 2026-01-02T03:04:05.006Z".
std::string Title(const RunRecord& run);
std::string Subtitle(const RunRecord& run);

// TickStep is the distance of the axis's ticks: 1, 2 or 5 times a power of ten, or a whole number
// of minutes, so that there are at most `most` of them.
Milliseconds TickStep(Milliseconds length, int most);

}  // namespace timeline
