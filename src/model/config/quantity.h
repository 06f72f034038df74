// SPDX-License-Identifier: Apache-2.0
// Quantities of the Kubernetes API: "1500m", "100Mi", "2".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace config {

// CanonicalQuantity returns the form in which Kubernetes writes a quantity. This form has no
// fraction, and the largest suffix of the same family (decimal, exponent, binary) that keeps the
// number whole. The rules are the API documentation's "canonical form", and the observed output of
// upstream's programs:
//
// - Fractions of a billionth ("n") are rounded away from zero.
// - With a binary suffix, a number below 1024 or with a fraction is written with decimal suffixes.
//   A number beyond 64 bits becomes the greatest (or least) 64-bit value.
// - A short canonical number keeps its spelling: "+5", "05", "5.", "1E3", "1.500". So does a number
//   whose exponent exceeds 32 bits, or that has more than a thousand digits.
// - White space around the number is ignored, and a number without a digit is 0.
//
// Returns std::nullopt if the input is not a quantity.
std::optional<std::string> CanonicalQuantity(std::string_view text);

}  // namespace config
