// SPDX-License-Identifier: Apache-2.0
// Drawing a run: its phases as bars against time.
#pragma once

#include <span>
#include <string>

#include "workflow/timeline/run.h"

namespace timeline {

// Returns a self-contained drawing, for a light and a dark background.
std::string Svg(const RunRecord& run);

// Returns a self-contained HTML page. It contains a drawing for wide windows and one for narrow
// windows, the critical path, and a table with all data of the drawing.
std::string Html(const RunRecord& run);

// The output format of a drawing.
enum class Form { kSvg, kHtml };

// Returns the format that belongs to the extension of a file name; ignores case. Throws
// base::Error(kUsage) unless the extension is .svg or .html.
Form FormOf(const std::string& path);

// Draws the last run among the events.
std::string Draw(std::span<const workflow::Event> events, Form form);

}  // namespace timeline
