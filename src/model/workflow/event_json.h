// SPDX-License-Identifier: Apache-2.0
// Events as JSON (docs/events.md).
#pragma once

#include <optional>

#include "json/fwd.h"
#include "workflow/event.h"

namespace workflow {

// ToJson is the event as an object; nothing for what programs have no use for.
std::optional<json::Value> ToJson(const Event& event);

// FromJson reads an object that ToJson may have made. A type that is not known is event::Unknown,
// fields of other types count as absent, and where a warning came from is not known any more.
// Nothing for what is not an event: without a type, or without a time of RFC 3339.
std::optional<Event> FromJson(const json::Value& value);

}  // namespace workflow
