// SPDX-License-Identifier: Apache-2.0
// The remaining validity above which a certificate is not renewed.
#pragma once

#include <string_view>

#include "base/duration.h"

namespace certs {

// Parses weeks, days and a Go duration, in this order and each at most once: "30d", "2w", "36h",
// "1d12h". A Go duration itself has no weeks and days. Throws base::Error(kInvalid) for anything
// else, and for negative values or more than 100 years.
base::Duration ParseRemaining(std::string_view text);

}  // namespace certs
