// SPDX-License-Identifier: Apache-2.0
// Points in time as text, and back.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace workflow {

// TimeText is RFC 3339 in UTC with milliseconds: "2026-01-02T03:04:05.006Z".
std::string TimeText(std::chrono::system_clock::time_point time);

// ParseTimeText reads any time of RFC 3339, of whose fraction milliseconds count; nothing for
// another text.
std::optional<std::chrono::system_clock::time_point> ParseTimeText(std::string_view text);

}  // namespace workflow
