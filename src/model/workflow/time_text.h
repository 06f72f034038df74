// Points in time as text.
#pragma once

#include <chrono>
#include <string>

namespace workflow {

// TimeText is RFC 3339 in UTC with milliseconds: "2026-01-02T03:04:05.006Z".
std::string TimeText(std::chrono::system_clock::time_point time);

}  // namespace workflow
