// SPDX-License-Identifier: Apache-2.0
// The output format of a drawing, by the name of its file.
#include "base/error.h"
#include "base/strings.h"
#include "workflow/timeline/draw.h"

namespace timeline {

Form FormOf(const std::string& path) {
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

std::string Draw(std::span<const workflow::Event> events, Form form) {
  const RunRecord run = ReadRun(events);
  return form == Form::kSvg ? Svg(run) : Html(run);
}

}  // namespace timeline
