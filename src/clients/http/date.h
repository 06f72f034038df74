// SPDX-License-Identifier: Apache-2.0
// Dates as HTTP writes them.
#pragma once

#include <chrono>
#include <optional>
#include <string>

namespace http {

// ParseDate reads the time of a Date header (RFC 9110 §5.6.7); nothing for any other text.
std::optional<std::chrono::sys_seconds> ParseDate(const std::string& text);

}  // namespace http
