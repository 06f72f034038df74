// SPDX-License-Identifier: Apache-2.0
#include "fleet/windows.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <bitset>
#include <stdexcept>

#include "base/number.h"
#include "base/strings.h"
#include "json/rfc3339.h"

namespace fleet {
namespace {

using std::chrono::days;
using std::chrono::minutes;

using SysMinutes = std::chrono::sys_time<minutes>;

constexpr days kLongest{7};
constexpr days kSearched{366};
constexpr std::size_t kMostValues = 60;

// A field of a cron expression.
struct CronField {
  std::string_view name;
  int first;
  int last;
};
constexpr std::array<CronField, 5> kFields = {{{"minute", 0, 59},
                                               {"hour", 0, 23},
                                               {"day of the month", 1, 31},
                                               {"month", 1, 12},
                                               {"day of the week", 0, 7}}};

// The allowed values of one field.
struct Values {
  std::bitset<kMostValues> set;
  bool any = false;  // "*"
};

struct Schedule {
  std::array<Values, kFields.size()> fields;
};

// Adds the values of "5", "1-5" or "*", each also with "/2". Returns whether `part` is valid.
bool AddValues(std::string_view part, const CronField& field, Values& values) {
  const std::size_t slash = part.find('/');
  const std::string_view range = part.substr(0, slash);
  std::optional<int> step = 1;
  if (slash != std::string_view::npos) {
    step = base::ParseNumber<int>(part.substr(slash + 1));
  }
  const std::size_t dash = range.find('-');
  std::optional<int> first = field.first;
  std::optional<int> last = field.last;
  if (range != "*") {
    first = base::ParseNumber<int>(range.substr(0, dash));
    last = dash == std::string_view::npos ? first : base::ParseNumber<int>(range.substr(dash + 1));
  }
  if (!first || !last || !step || *step < 1 || *step > field.last + 1 || *first < field.first ||
      *last > field.last || *first > *last) {
    return false;
  }
  for (int value = *first; value <= *last; value += *step) {
    values.set.set(static_cast<std::size_t>(value));
  }
  values.any = values.any || range == "*";
  return true;
}

// Returns the schedule; sets `problem` if a field is invalid.
Schedule ParseCron(std::string_view text, std::string& problem) {
  Schedule schedule;
  const std::vector<std::string> words = base::Fields(text);
  if (words.size() != kFields.size()) {
    problem = fmt::format("{} must have five fields, such as \"0 22 * * 6\"", base::Quoted(text));
    return schedule;
  }
  for (std::size_t i = 0; i < words.size(); ++i) {
    for (const std::string& part : base::Split(words[i], ',')) {
      if (!AddValues(part, kFields[i], schedule.fields[i])) {
        problem = fmt::format("{} is an invalid {}: {} to {} are allowed", base::Quoted(part),
                              kFields[i].name, kFields[i].first, kFields[i].last);
      }
    }
  }
  Values& weekdays = schedule.fields[4];
  weekdays.set[0] = weekdays.set[0] || weekdays.set[7];  // both are Sunday
  return schedule;
}

const std::chrono::time_zone* FindZone(const std::string& name) {
  try {
    return std::chrono::locate_zone(name.empty() ? "UTC" : name);
  } catch (const std::runtime_error&) {
    return nullptr;
  }
}

// Returns whether windows can start on the day. As in cron(8), if both the day of the month and the
// day of the week are restricted, one of them suffices.
bool IsDay(const Schedule& schedule, std::chrono::local_days day) {
  const std::chrono::year_month_day date(day);
  const auto& [minute, hour, monthday, month, weekday] = schedule.fields;
  const bool by_date = monthday.set[static_cast<unsigned>(date.day())];
  const bool by_weekday = weekday.set[std::chrono::weekday(day).c_encoding()];
  const bool both = !monthday.any && !weekday.any;
  return month.set[static_cast<unsigned>(date.month())] &&
         (both ? by_date || by_weekday : by_date && by_weekday);
}

bool IsStart(const Schedule& schedule, std::chrono::local_time<minutes> time) {
  const auto day = std::chrono::floor<days>(time);
  const std::chrono::hh_mm_ss clock(time - day);
  return schedule.fields[0].set[static_cast<std::size_t>(clock.minutes().count())] &&
         schedule.fields[1].set[static_cast<std::size_t>(clock.hours().count())] &&
         IsDay(schedule, day);
}

// A range of minutes to search.
struct Range {
  SysMinutes first;
  SysMinutes last;
};

// Returns the first start of a window in the range; std::nullopt without one.
std::optional<SysMinutes> FindStart(const MaintenanceWindow& window, const Range& range) {
  std::string problem;
  const Schedule schedule = ParseCron(window.start, problem);
  const std::chrono::time_zone* zone = FindZone(window.time_zone);
  std::chrono::sys_info info{};
  for (SysMinutes time = range.first; time <= range.last; time += minutes(1)) {
    if (time < info.begin || time >= info.end) {
      info = zone->get_info(time);
    }
    const std::chrono::local_time<minutes> local(time.time_since_epoch() +
                                                 std::chrono::duration_cast<minutes>(info.offset));
    if (IsStart(schedule, local)) {
      return time;
    }
    if (const auto day = std::chrono::floor<days>(local); !IsDay(schedule, day)) {
      const auto next = time + (day + days(1) - local) - minutes(1);
      time = std::min(next, std::chrono::floor<minutes>(info.end) - minutes(1));
    }
  }
  return std::nullopt;
}

}  // namespace

std::span<const json::Field> MaintenanceWindow::Fields() {
  static const json::Field fields[] = {
      json::Describe<&MaintenanceWindow::start>("start"),
      json::Describe<&MaintenanceWindow::duration>("duration"),
      json::Describe<&MaintenanceWindow::time_zone>("timeZone"),
  };
  return fields;
}

std::string ProblemOf(const MaintenanceWindow& window) {
  std::string problem;
  ParseCron(window.start, problem);
  if (!problem.empty()) {
    return "start: " + problem;
  }
  if (window.duration < minutes(1) || window.duration > kLongest) {
    return "duration: must be between 1m and 168h";
  }
  if (FindZone(window.time_zone) == nullptr) {
    return fmt::format("timeZone: {} is unknown", base::Quoted(window.time_zone));
  }
  return "";
}

std::string WaitFor(const std::vector<MaintenanceWindow>& windows, std::chrono::sys_seconds now) {
  std::optional<SysMinutes> next;
  const SysMinutes minute = std::chrono::floor<minutes>(now);
  for (const MaintenanceWindow& window : windows) {
    // A window that has begun more than its duration ago is over.
    const auto oldest = std::chrono::floor<minutes>(now - window.duration) + minutes(1);
    if (FindStart(window, {.first = oldest, .last = minute})) {
      return "";
    }
    const auto start = FindStart(window, {.first = minute, .last = minute + kSearched});
    next = start && next ? std::min(start, next) : start ? start : next;
  }
  if (windows.empty()) {
    return "";
  }
  return fmt::format("outside the maintenance windows{}",
                     next ? "; the next one begins at " + json::FormatRfc3339(*next) : "");
}

}  // namespace fleet
