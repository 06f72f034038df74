// SPDX-License-Identifier: Apache-2.0
// How long a certificate must still be valid to be left alone.
#pragma once

#include <string_view>

#include "base/duration.h"

namespace certs {

// ParseRemaining reads "30d", "2w", "36h", "1d12h": weeks and days, which a duration of the API
// lacks, before a Go duration, each part at most once. Throws base::Error(kInvalid) for anything
// else, and for what is negative or longer than 100 years.
base::Duration ParseRemaining(std::string_view text);

}  // namespace certs
