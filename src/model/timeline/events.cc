#include "timeline/events.h"

#include <fmt/core.h>

#include "base/error.h"
#include "data/budget.h"
#include "data/json_lines.h"
#include "timeline/run.h"

namespace timeline {
namespace {

using base::Error;
using data::Json;

// "" for an event, else what is wrong with it.
std::string_view Flaw(const Json& event) {
  if (!event.is_object()) {
    return "it is no JSON object";
  }
  if (data::TextAt(event, {"type"}).empty()) {
    return "it has no \"type\"";
  }
  return ParseTime(data::TextAt(event, {"time"})) ? "" : "it has no \"time\" as RFC 3339";
}

Json ParseEvent(std::string_view line, std::size_t number, data::Budget& budget) {
  const std::string what = fmt::format("line {} is no event", number);
  Json event = base::WithContext(what, [&] { return data::ParseJson(line, budget); });
  if (const std::string_view flaw = Flaw(event); !flaw.empty()) {
    throw Error(Error::Kind::kInvalid, fmt::format("{}: {}", what, flaw));
  }
  return event;
}

}  // namespace

std::vector<Json> ParseEvents(std::string_view text) {
  std::vector<Json> events;
  data::Budget budget;  // the largest runs take a hundredth of it
  data::ForEachLine(text, [&](std::string_view line, std::size_t number) {
    events.push_back(ParseEvent(line, number, budget));
  });
  return events;
}

}  // namespace timeline
