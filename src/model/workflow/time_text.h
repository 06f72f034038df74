// SPDX-License-Identifier: Apache-2.0
// Formatting and parsing of points in time.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace workflow {

// Returns RFC 3339 in UTC with milliseconds: "2026-01-02T03:04:05.006Z".
std::string TimeText(std::chrono::system_clock::time_point time);

// Parses any RFC 3339 time, and truncates its fraction to milliseconds. Returns std::nullopt for
// other input.
std::optional<std::chrono::system_clock::time_point> ParseTimeText(std::string_view text);

}  // namespace workflow
