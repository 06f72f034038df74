// SPDX-License-Identifier: Apache-2.0
#include "workflow/timeline/events.h"

#include <fmt/core.h>

#include "base/error.h"
#include "json/budget.h"
#include "json/lines.h"
#include "json/value.h"
#include "workflow/event_json.h"

namespace timeline {
namespace {

using base::Error;

// Returns the defect of a value that is not an event.
std::string_view Flaw(const json::Value& event) {
  if (!event.is_object()) {
    return "it is not a JSON object";
  }
  if (json::TextAt(event, {"type"}).empty()) {
    return "it has no \"type\"";
  }
  return "it has no \"time\" as RFC 3339";
}

workflow::Event ParseEvent(std::string_view line, std::size_t number, json::Budget& budget) {
  const std::string what = fmt::format("line {} is not an event", number);
  const json::Value value = base::WithContext(what, [&] { return json::Parse(line, budget); });
  std::optional<workflow::Event> event = workflow::FromJson(value);
  if (!event) {
    throw Error(Error::Kind::kInvalid, fmt::format("{}: {}", what, Flaw(value)));
  }
  return *std::move(event);
}

}  // namespace

std::vector<workflow::Event> ParseEvents(std::string_view text) {
  std::vector<workflow::Event> events;
  json::Budget budget;  // the largest runs take a hundredth of it
  json::ForEachLine(text, [&](std::string_view line, std::size_t number) {
    events.push_back(ParseEvent(line, number, budget));
  });
  return events;
}

}  // namespace timeline
