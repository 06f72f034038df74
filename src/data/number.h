// Numbers as Go writes them: the shortest digits that read back as the same value.
#pragma once

#include <string>

namespace data {

// FormatJsonNumber is the form of Go's encoding/json: plain digits between 1e-6 and 1e21, outside
// them an exponent ("0.000001", "1e-7", "1e+21"). Throws base::Error(kInvalid) for NaN and
// infinity, which JSON cannot hold.
std::string FormatJsonNumber(double value);

// FormatGeneralNumber is the form of Go's %g: an exponent of at least two digits below 1e-4 and
// from 10^`exponent_from` on. That is 21 for fmt's %v and 6 for strconv's 'g', which go-yaml uses.
// "+Inf", "-Inf" and "NaN" are written so.
std::string FormatGeneralNumber(double value, int exponent_from);

}  // namespace data
