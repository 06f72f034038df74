// SPDX-License-Identifier: Apache-2.0
// The page around a drawing, and how both look.
#pragma once

#include <string>
#include <string_view>

#include "timeline/run.h"

namespace timeline {

// Page is a whole HTML page with the drawing in it.
std::string Page(const RunRecord& run, std::string_view drawing);

// DrawingStyle is the CSS of a drawing, with colours for light and dark backgrounds.
std::string_view DrawingStyle();

// Details is all that is known of a phase, a line each: what a pointer on its bar shows.
std::string Details(const Bar& bar);

}  // namespace timeline
