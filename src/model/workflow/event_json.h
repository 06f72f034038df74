// SPDX-License-Identifier: Apache-2.0
// Events as JSON (docs/events.md).
#pragma once

#include <optional>

#include "json/fwd.h"
#include "workflow/event.h"

namespace workflow {

// Returns the event as an object; std::nullopt for an event that is not for programs.
std::optional<json::Value> ToJson(const Event& event);

// Reads an object of ToJson. An unknown type becomes event::Unknown. A field of a wrong type counts
// as missing. The source of a warning is lost. Returns std::nullopt if the object is not an event,
// because it lacks a type or an RFC 3339 time.
std::optional<Event> FromJson(const json::Value& value);

}  // namespace workflow
