// SPDX-License-Identifier: Apache-2.0
// Numbers in the format of Go: the shortest digits that read back as the same value.
#pragma once

#include <string>

namespace json {

// Formats as Go's encoding/json does: plain digits between 1e-6 and 1e21, outside them an exponent
// ("0.000001", "1e-7", "1e+21"). Throws base::Error(kInvalid) for NaN and infinity, which JSON
// cannot express.
std::string FormatJsonNumber(double value);

// Formats as Go's %g and %v do, which go-yaml uses too: an exponent of at least two digits below
// 1e-4 and from 1e6 on ("1e-05", "1.2345675e+06"). Infinities and NaN become "+Inf", "-Inf" and
// "NaN".
std::string FormatGeneralNumber(double value);

}  // namespace json
