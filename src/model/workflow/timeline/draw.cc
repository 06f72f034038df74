// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/draw.h"

#include <fmt/core.h>

#include <string_view>

#include "workflow/timeline/layout.h"
#include "workflow/timeline/markup.h"
#include "workflow/timeline/page.h"

namespace timeline {
namespace {

constexpr double kLegendSwatch = 22;

std::string_view ClassOf(const Bar& bar) {
  switch (bar.state) {
    case Bar::State::kFailed:
      return "bar failed";
    case Bar::State::kCancelled:
      return "bar cancelled";
    case Bar::State::kUnfinished:
      return "bar unfinished";
    case Bar::State::kDone:
      break;
  }
  return bar.critical ? "bar critical" : "bar";
}

std::string_view AnchorText(Label::Anchor anchor) {
  switch (anchor) {
    case Label::Anchor::kMiddle:
      return "middle";
    case Label::Anchor::kEnd:
      return "end";
    case Label::Anchor::kStart:
      break;
  }
  return "start";
}

// One <svg> element. `id` makes its names unique on a page with several drawings.
class Drawing {
 public:
  Drawing(const RunRecord& run, Shape shape, std::string id)
      : run_(run), shape_(shape), layout_(Place(run, shape)), id_(std::move(id)) {}

  std::string Text(std::string_view style) {
    out_.Open("svg", {{"xmlns", "http://www.w3.org/2000/svg"},
                      {"class", shape_ == Shape::kWide ? "timeline wide" : "timeline narrow"},
                      {"viewBox", fmt::format("0 0 {:g} {:g}", layout_.width, layout_.height)},
                      {"width", layout_.width},
                      {"height", layout_.height},
                      {"role", "img"},
                      {"aria-label", layout_.title.text + ", " + layout_.subtitle.text}});
    out_.Raw(style);
    Patterns();
    out_.Empty("rect", {{"class", "background"}, {"width", "100%"}, {"height", "100%"}});
    Put(layout_.title, "title");
    Put(layout_.subtitle, run_.error ? "subtitle bad" : "subtitle");
    Axis();
    for (const Link& link : layout_.links) {
      PutLink(link);
    }
    for (const PlacedBar& placed : layout_.bars) {
      PutBar(placed);
    }
    Legend();
    out_.Close("svg");
    return out_.text();
  }

 private:
  void Put(const Label& label, std::string_view css_class) {
    out_.Text("text",
              {{"class", css_class},
               {"x", label.x},
               {"y", label.y},
               {"text-anchor", AnchorText(label.anchor)}},
              label.text);
  }

  void PutRect(const Box& box, std::string_view css_class, double radius) {
    out_.Empty("rect", {{"class", css_class},
                        {"x", box.x},
                        {"y", box.y},
                        {"width", box.width},
                        {"height", box.height},
                        {"rx", radius}});
  }

  // Slanting lines mark the time in which a phase only waits.
  void Patterns() {
    out_.Open("defs");
    out_.Open("pattern", {{"id", id_ + "-wait"},
                          {"width", 6},
                          {"height", 6},
                          {"patternUnits", "userSpaceOnUse"},
                          {"patternTransform", "rotate(45)"}});
    out_.Empty("rect", {{"class", "stripe"}, {"width", 2.6}, {"height", 6}});
    out_.Close("pattern");
    out_.Close("defs");
  }

  void PutWait(const Box& box) {
    out_.Empty("rect", {{"fill", "url(#" + id_ + "-wait)"},
                        {"x", box.x},
                        {"y", box.y},
                        {"width", box.width},
                        {"height", box.height},
                        {"rx", 3}});
  }

  void PutMark(Mark::Kind kind, double x, double y) {
    const bool retry = kind == Mark::Kind::kRetry;
    const std::string path = retry ? fmt::format("M{:g} {:g}l5 5l-5 5l-5 -5z", x, y - 5)
                                   : fmt::format("M{:g} {:g}l5.5 10h-11z", x, y - 6);
    out_.Empty("path", {{"class", retry ? "retry" : "warning"}, {"d", path}});
  }

  void Axis() {
    const Box& plot = layout_.plot;
    for (const Tick& tick : layout_.ticks) {
      out_.Empty("line", {{"class", "grid"},
                          {"x1", tick.x},
                          {"y1", plot.y - 3},
                          {"x2", tick.x},
                          {"y2", plot.Bottom()}});
      Put(tick.label, "tick");
    }
  }

  void PutBar(const PlacedBar& placed) {
    const Bar& bar = run_.bars[placed.bar];
    out_.Open("g", {{"class", "phase"}, {"data-phase", bar.phase}});
    out_.Text("title", {}, Details(bar));
    PutRect(placed.row, "row", 3);
    Put(placed.name, bar.critical ? "name strong" : "name");
    PutRect(placed.box, ClassOf(bar), 3);
    for (const Box& wait : placed.waits) {
      PutWait(wait);
    }
    for (std::size_t i = 0; i < placed.mark_x.size(); ++i) {
      PutMark(bar.marks[i].kind, placed.mark_x[i], placed.box.Middle());
    }
    Put(placed.took, bar.state == Bar::State::kFailed ? "took bad" : "took");
    out_.Close("g");
  }

  void PutLink(const Link& link) {
    out_.Empty("path", {{"class", "link"},
                        {"d", fmt::format("M{:.2f} {:.2f}V{:.2f}H{:.2f}", link.from_x - 1,
                                          link.from_y, link.to_y, link.to_x)}});
  }

  struct Entry {
    std::string_view kind;
    std::string_view text;
    double width;
  };

  void PutSwatch(std::string_view kind, double x, double y) {
    const Box box{.x = x, .y = y - 10, .width = 16, .height = 12};
    if (kind == "retry" || kind == "warning") {
      PutMark(kind == "retry" ? Mark::Kind::kRetry : Mark::Kind::kWarning, x + 8, y - 4);
      return;
    }
    PutRect(box, kind == "wait" ? "bar" : kind, 3);
    if (kind == "wait") {
      PutWait(box);
    }
  }

  void Legend() {
    static constexpr Entry kEntries[] = {{"bar critical", "critical path", 122},
                                         {"bar", "beside it", 100},
                                         {"wait", "waiting", 88},
                                         {"retry", "a try failed", 110},
                                         {"warning", "warning", 90},
                                         {"bar failed", "failed", 78}};
    const double left = layout_.title.x;
    double x = left;
    double y = layout_.legend_y;
    for (const Entry& entry : kEntries) {
      if (x + entry.width > layout_.width) {
        x = left;
        y += 20;
      }
      PutSwatch(entry.kind, x, y);
      Put({.x = x + kLegendSwatch, .y = y, .text = std::string(entry.text)}, "legend");
      x += entry.width;
    }
  }

  const RunRecord& run_;
  const Shape shape_;
  const Layout layout_;
  const std::string id_;
  Markup out_;
};

}  // namespace

std::string Svg(const RunRecord& run) {
  const std::string style = fmt::format("<style>{}</style>\n", DrawingStyle());
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" +
         Drawing(run, Shape::kWide, "t").Text(style);
}

std::string Html(const RunRecord& run) {
  return Page(
      run, Drawing(run, Shape::kWide, "w").Text("") + Drawing(run, Shape::kNarrow, "n").Text(""));
}

}  // namespace timeline
