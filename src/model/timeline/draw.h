// SPDX-License-Identifier: Apache-2.0
// Drawing a run: its phases as bars against time.
#pragma once

#include <span>
#include <string>

#include "timeline/run.h"

namespace timeline {

// Svg is a drawing that stands by itself, for a light and a dark background.
std::string Svg(const RunRecord& run);

// Html is a page that needs nothing else: the drawing (one for wide and one for narrow windows),
// the critical path, and a table of all that the drawing says.
std::string Html(const RunRecord& run);

// Form is what a run is drawn as.
enum class Form { kSvg, kHtml };

// FormOf goes by a file's name. Throws base::Error(kUsage) unless it ends in .svg or .html, letter
// case ignored.
Form FormOf(const std::string& path);

// Draw draws the last run among the events.
std::string Draw(std::span<const workflow::Event> events, Form form);

}  // namespace timeline
