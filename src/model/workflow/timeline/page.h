// SPDX-License-Identifier: Apache-2.0
// The page around a drawing, and the styles of both.
#pragma once

#include <string>
#include <string_view>

#include "workflow/timeline/run.h"

namespace timeline {

// Returns a whole HTML page with the drawing in it.
std::string Page(const RunRecord& run, std::string_view drawing);

// Returns the CSS of a drawing, with colours for light and dark backgrounds.
std::string_view DrawingStyle();

// Returns all data of a phase, a line each, for the tooltip of its bar.
std::string Details(const Bar& bar);

}  // namespace timeline
