#include "kubeadm/events/drawn_events.h"

#include "base/error.h"
#include "base/strings.h"
#include "timeline/draw.h"
#include "timeline/run.h"

namespace kubeadm {

Form DrawingForm(const std::string& path) {
  const std::string lower = base::ToLower(path);
  if (lower.ends_with(".svg")) {
    return Form::kSvg;
  }
  if (lower.ends_with(".html")) {
    return Form::kHtml;
  }
  throw base::Error(base::Error::Kind::kUsage, "couldn't draw a timeline into " +
                                                   base::Quoted(path) +
                                                   ": name a file that ends in .svg or .html");
}

std::string DrawEvents(std::span<const workflow::Event> events, Form form) {
  const timeline::RunRecord run = timeline::ReadRun(events);
  return form == Form::kSvg ? timeline::Svg(run) : timeline::Html(run);
}

}  // namespace kubeadm
