// SPDX-License-Identifier: Apache-2.0
// Times as the Kubernetes API writes them (RFC 3339, whole seconds, UTC).
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace json {

// Parses "2026-01-31T23:59:59Z", with any offset and any fraction, which is truncated. Returns
// std::nullopt for another format, or a date that does not exist.
std::optional<std::chrono::sys_seconds> ParseRfc3339(std::string_view text);

// Formats the time in UTC: "2026-01-31T23:59:59Z".
std::string FormatRfc3339(std::chrono::sys_seconds time);

}  // namespace json
