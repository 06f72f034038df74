// SPDX-License-Identifier: Apache-2.0
#include "json/rfc3339.h"

#include <fmt/format.h>

namespace json {
namespace {

// Takes fixed-width pieces from the front of a string; stays failed after a failure.
class Reader {
 public:
  explicit Reader(std::string_view text) : rest_(text) {}

  int Number(std::size_t width, int least, int most) {
    int value = 0;
    if (rest_.size() < width) {
      ok_ = false;
      return 0;
    }
    for (const char c : rest_.substr(0, width)) {
      ok_ = ok_ && c >= '0' && c <= '9';
      value = value * 10 + (c - '0');
    }
    rest_.remove_prefix(width);
    ok_ = ok_ && value >= least && value <= most;
    return value;
  }

  bool Take(char c) {
    if (rest_.empty() || rest_.front() != c) {
      return false;
    }
    rest_.remove_prefix(1);
    return true;
  }

  void Need(char c) { ok_ = Take(c) && ok_; }

  void SkipFraction() {
    if (!Take('.')) {
      return;
    }
    const std::size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
    ok_ = ok_ && digits > 0;
    rest_.remove_prefix(digits);
  }

  bool Complete() const { return ok_ && rest_.empty(); }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

std::chrono::minutes ReadOffset(Reader& reader) {
  if (reader.Take('Z')) {
    return {};
  }
  const int sign = reader.Take('-') ? -1 : 1;
  if (sign == 1) {
    reader.Need('+');
  }
  const int hours = reader.Number(2, 0, 23);
  reader.Need(':');
  const int minutes = reader.Number(2, 0, 59);
  return std::chrono::minutes(sign * (hours * 60 + minutes));
}

}  // namespace

std::optional<std::chrono::sys_seconds> ParseRfc3339(std::string_view text) {
  Reader reader(text);
  const int year = reader.Number(4, 0, 9999);
  reader.Need('-');
  const int month = reader.Number(2, 1, 12);
  reader.Need('-');
  const int day = reader.Number(2, 1, 31);
  reader.Need('T');
  const int hour = reader.Number(2, 0, 23);
  reader.Need(':');
  const int minute = reader.Number(2, 0, 59);
  reader.Need(':');
  const int second = reader.Number(2, 0, 59);
  reader.SkipFraction();
  const std::chrono::minutes offset = ReadOffset(reader);
  const std::chrono::year_month_day date{std::chrono::year(year),
                                         std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!reader.Complete() || !date.ok()) {
    return std::nullopt;
  }
  return std::chrono::sys_days(date) + std::chrono::hours(hour) + std::chrono::minutes(minute) +
         std::chrono::seconds(second) - offset;
}

std::string FormatRfc3339(std::chrono::sys_seconds time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date(days);
  const std::chrono::hh_mm_ss clock(time - days);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", static_cast<int>(date.year()),
                     static_cast<unsigned>(date.month()), static_cast<unsigned>(date.day()),
                     clock.hours().count(), clock.minutes().count(), clock.seconds().count());
}

}  // namespace json
