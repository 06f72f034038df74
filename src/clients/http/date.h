// SPDX-License-Identifier: Apache-2.0
// Dates as HTTP writes them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace http {

// Parses the time of a Date header (RFC 9110 §5.6.7); returns std::nullopt for other input.
std::optional<std::chrono::sys_seconds> ParseDate(const std::string& text);

}  // namespace http
