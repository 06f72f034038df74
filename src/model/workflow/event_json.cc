// SPDX-License-Identifier: Apache-2.0
#include "workflow/event_json.h"

#include <algorithm>
#include <string_view>

#include "json/value.h"
#include "workflow/time_text.h"

namespace workflow {
namespace {

using event::Cases;
using event::PhaseSkipped;
using json::TextAt;
using json::Value;

constexpr const char* kRequest = "request";
constexpr const char* kCondition = "condition";

Value Tagged(const char* type, Value fields) {
  fields["type"] = type;
  return fields;
}

// An event that may belong to a phase.
Value Tagged(const char* type, const std::optional<std::string>& phase, Value fields) {
  if (phase) {
    fields["phase"] = *phase;
  }
  return Tagged(type, std::move(fields));
}

// The end of a phase.
template <typename End>
Value Ended(const char* type, const End& end, Value fields) {
  fields["ms"] = end.took.count();
  for (const event::WrittenFile& file : end.files) {
    fields["files"].push_back({{"path", file.path}, {"sha256", file.sha256}});
  }
  return Tagged(type, end.phase, std::move(fields));
}

Value Of(const event::RunStarted& e) { return Tagged("run_started", {{"command", e.command}}); }
Value Of(const event::RunFinished& e) {
  Value fields = {{"ok", !e.error.has_value()}, {"ms", e.took.count()}};
  if (e.error) {
    fields["error"] = *e.error;
  }
  return Tagged("run_finished", std::move(fields));
}
Value Of(const event::PhaseStarted& e) {
  Value fields = Value::object();
  if (!e.after.empty()) {
    fields["after"] = e.after;
  }
  return Tagged("phase_started", e.phase, std::move(fields));
}
Value Of(const PhaseSkipped& e) {
  const char* reason = e.reason == PhaseSkipped::Reason::kRequest ? kRequest : kCondition;
  return Tagged("phase_skipped", e.phase, {{"reason", reason}});
}
Value Of(const event::PhaseFinished& e) { return Ended("phase_finished", e, Value::object()); }
Value Of(const event::PhaseFailed& e) {
  Value fields = {{"error", e.error}};
  if (e.cancelled) {
    fields["cancelled"] = true;
  }
  return Ended("phase_failed", e, std::move(fields));
}
Value Of(const event::Message& e) { return Tagged("message", e.phase, {{"text", e.text}}); }
Value Of(const event::Warning& e) { return Tagged("warning", e.phase, {{"text", e.text}}); }
Value Of(const event::Remark& e) { return Tagged("warning", e.phase, {{"text", e.text}}); }
Value Of(const event::Progress& e) {
  return Tagged("progress", e.phase, {{"text", e.text.value_or("")}});
}
Value Of(const event::Retry& e) { return Tagged("retry", e.phase, {{"text", e.text}}); }
Value Of(const event::Result& e) {
  return Tagged("result", e.phase, {{"name", e.name}, {"value", e.value}});
}

std::string PhaseOf(const Value& value) { return TextAt(value, {"phase"}); }

std::optional<std::string> FieldOf(const Value& value, const char* name) {
  const Value& field = json::At(value, {name});
  return field.is_string() ? std::optional(field.get<std::string>()) : std::nullopt;
}

// Same as FieldOf, but also returns std::nullopt for an empty string.
std::optional<std::string> WordsOf(const Value& value, const char* name) {
  std::optional<std::string> text = FieldOf(value, name);
  return text && text->empty() ? std::nullopt : text;
}

Milliseconds TookOf(const Value& value) {
  const Value& ms = json::At(value, {"ms"});
  return Milliseconds(ms.is_number_integer() ? ms.get<std::int64_t>() : 0);
}

std::vector<std::string> AfterOf(const Value& value) {
  std::vector<std::string> after;
  const Value& list = json::At(value, {"after"});
  for (const Value& phase : list.is_array() ? list : Value::array()) {
    if (phase.is_string()) {
      after.push_back(phase.get<std::string>());
    }
  }
  return after;
}

std::vector<event::WrittenFile> FilesOf(const Value& value) {
  std::vector<event::WrittenFile> files;
  const Value& list = json::At(value, {"files"});
  for (const Value& file : list.is_array() ? list : Value::array()) {
    files.push_back({.path = TextAt(file, {"path"}), .sha256 = TextAt(file, {"sha256"})});
  }
  return files;
}

// One row for each type: how to read its fields.
struct Row {
  std::string_view type;
  event::What (*read)(const Value& value);
};

constexpr Row kRows[] = {
    {"run_started",
     [](const Value& v) -> event::What {
       return event::RunStarted{.command = TextAt(v, {"command"})};
     }},
    {"run_finished",
     [](const Value& v) -> event::What {
       return event::RunFinished{.took = TookOf(v), .error = FieldOf(v, "error")};
     }},
    {"phase_started",
     [](const Value& v) -> event::What {
       return event::PhaseStarted{.phase = PhaseOf(v), .after = AfterOf(v)};
     }},
    {"phase_skipped",
     [](const Value& v) -> event::What {
       using Reason = PhaseSkipped::Reason;
       const bool asked = TextAt(v, {"reason"}) == kRequest;
       return PhaseSkipped{.phase = PhaseOf(v),
                           .reason = asked ? Reason::kRequest : Reason::kCondition};
     }},
    {"phase_finished",
     [](const Value& v) -> event::What {
       return event::PhaseFinished{.phase = PhaseOf(v), .took = TookOf(v), .files = FilesOf(v)};
     }},
    {"phase_failed",
     [](const Value& v) -> event::What {
       return event::PhaseFailed{.phase = PhaseOf(v),
                                 .took = TookOf(v),
                                 .error = TextAt(v, {"error"}),
                                 .cancelled = json::At(v, {"cancelled"}) == true,
                                 .files = FilesOf(v)};
     }},
    {"message",
     [](const Value& v) -> event::What {
       return event::Message{.phase = FieldOf(v, "phase"), .text = TextAt(v, {"text"})};
     }},
    {"warning",
     [](const Value& v) -> event::What {
       return event::Warning{.phase = FieldOf(v, "phase"), .text = TextAt(v, {"text"})};
     }},
    {"progress",
     [](const Value& v) -> event::What {
       return event::Progress{.phase = PhaseOf(v), .text = WordsOf(v, "text")};
     }},
    {"retry",
     [](const Value& v) -> event::What {
       return event::Retry{.phase = PhaseOf(v), .text = TextAt(v, {"text"})};
     }},
    {"result",
     [](const Value& v) -> event::What {
       return event::Result{.phase = FieldOf(v, "phase"),
                            .name = TextAt(v, {"name"}),
                            .value = json::At(v, {"value"})};
     }},
};

}  // namespace

std::optional<json::Value> ToJson(const Event& event) {
  using Object = std::optional<Value>;
  Object object = std::visit(Cases{[](const event::Unknown&) -> Object { return std::nullopt; },
                                   [](const event::PhasesPlanned&) -> Object { return {}; },
                                   [](const event::PhasesEnded&) -> Object { return {}; },
                                   [](const auto& what) -> Object { return Of(what); }},
                             event.what);
  if (object) {
    (*object)["time"] = TimeText(event.time);
  }
  return object;
}

std::optional<Event> FromJson(const json::Value& value) {
  const std::string type = TextAt(value, {"type"});
  const auto time = ParseTimeText(TextAt(value, {"time"}));
  if (type.empty() || !time) {
    return std::nullopt;
  }
  const auto* const row = std::ranges::find(kRows, type, &Row::type);
  return Event{.time = *time, .what = row == std::end(kRows) ? event::What() : row->read(value)};
}

}  // namespace workflow
