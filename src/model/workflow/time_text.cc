// SPDX-License-Identifier: Apache-2.0
#include "workflow/time_text.h"

#include <fmt/core.h>

#include <cctype>

#include "json/rfc3339.h"

namespace workflow {

std::string TimeText(std::chrono::system_clock::time_point time) {
  using namespace std::chrono;
  const auto whole = floor<milliseconds>(time);
  const auto day = floor<days>(whole);
  const year_month_day date(day);
  const hh_mm_ss clock(whole - day);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count(),
                     clock.subseconds().count());
}

std::optional<std::chrono::system_clock::time_point> ParseTimeText(std::string_view text) {
  const std::optional<std::chrono::sys_seconds> seconds = json::ParseRfc3339(text);
  if (!seconds) {
    return std::nullopt;
  }
  int milliseconds = 0;
  int scale = 100;
  const std::size_t dot = text.find('.');
  for (std::size_t i = dot; i != std::string_view::npos && scale > 0; scale /= 10) {
    ++i;
    if (i >= text.size() || std::isdigit(static_cast<unsigned char>(text[i])) == 0) {
      break;
    }
    milliseconds += (text[i] - '0') * scale;
  }
  return *seconds + std::chrono::milliseconds(milliseconds);
}

}  // namespace workflow
