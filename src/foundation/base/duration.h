// SPDX-License-Identifier: Apache-2.0
// Durations in Go's text form ("4m0s", "1h30m", "500ms"), which the Kubernetes API uses.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace base {

// The type of all timeouts and periods of the configuration.
using Duration = std::chrono::nanoseconds;

// ParseDuration reads a signed sequence of decimal numbers with units ns, us (µs), ms, s, m, h;
// "0" needs no unit. Throws Error(kInvalid) for anything else or a value beyond ±292 years.
Duration ParseDuration(std::string_view text);

// FormatDuration writes the canonical form: "0s", "1.5s", "4m0s", "8760h0m0s".
std::string FormatDuration(Duration duration);

// HumanDuration returns the short form that tables show: "59m", "23h", "2d4h", "364d", "9y".
// Returns "<invalid>" for a time more than a second in the past.
std::string HumanDuration(Duration duration);

// ShortHumanDuration uses one unit only, the largest that fits: "59s", "59m", "9y", "1d" for 29
// hours.
std::string ShortHumanDuration(std::chrono::seconds duration);

}  // namespace base
