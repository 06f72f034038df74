#include "timeline/events.h"

#include <fmt/core.h>

#include "base/error.h"
#include "json/budget.h"
#include "json/lines.h"
#include "timeline/run.h"

namespace timeline {
namespace {

using base::Error;

// "" for an event, else what is wrong with it.
std::string_view Flaw(const json::Value& event) {
  if (!event.is_object()) {
    return "it is no JSON object";
  }
  if (json::TextAt(event, {"type"}).empty()) {
    return "it has no \"type\"";
  }
  return ParseTime(json::TextAt(event, {"time"})) ? "" : "it has no \"time\" as RFC 3339";
}

json::Value ParseEvent(std::string_view line, std::size_t number, json::Budget& budget) {
  const std::string what = fmt::format("line {} is no event", number);
  json::Value event = base::WithContext(what, [&] { return json::Parse(line, budget); });
  if (const std::string_view flaw = Flaw(event); !flaw.empty()) {
    throw Error(Error::Kind::kInvalid, fmt::format("{}: {}", what, flaw));
  }
  return event;
}

}  // namespace

std::vector<json::Value> ParseEvents(std::string_view text) {
  std::vector<json::Value> events;
  json::Budget budget;  // the largest runs take a hundredth of it
  json::ForEachLine(text, [&](std::string_view line, std::size_t number) {
    events.push_back(ParseEvent(line, number, budget));
  });
  return events;
}

}  // namespace timeline
