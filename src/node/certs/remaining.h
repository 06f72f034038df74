// SPDX-License-Identifier: Apache-2.0
// The remaining validity above which a certificate is not renewed.
#pragma once

#include <string_view>

#include "base/duration.h"

namespace certs {

// Parses "30d", "2w", "36h", "1d12h": weeks and days, which a duration of the API lacks, before a
// Go duration, each part at most once. Throws base::Error(kInvalid) for anything else, and for
// negative values or more than 100 years.
base::Duration ParseRemaining(std::string_view text);

}  // namespace certs
