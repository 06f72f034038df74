// SPDX-License-Identifier: Apache-2.0
// Events of a run, as `--output json` prints them (docs/events.md).
#pragma once

#include <string_view>
#include <vector>

#include "workflow/event.h"

namespace timeline {

// Parses one JSON object per line; skips empty lines. Throws base::Error(kInvalid), naming the
// line, if a line is not an object, or lacks a type or a time.
std::vector<workflow::Event> ParseEvents(std::string_view text);

}  // namespace timeline
