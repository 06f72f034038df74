// Drawing a run: its phases as bars against time.
#pragma once

#include <string>

#include "timeline/run.h"

namespace timeline {

// Svg is a drawing that stands by itself, for a light and a dark background.
std::string Svg(const RunRecord& run);

// Html is a page that needs nothing else: the drawing (one for wide and one for narrow windows),
// the critical path, and a table of all that the drawing says.
std::string Html(const RunRecord& run);

}  // namespace timeline
