// SPDX-License-Identifier: Apache-2.0
// Quantities of the Kubernetes API: "1500m", "100Mi", "2".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace config {

// CanonicalQuantity is the form in which Kubernetes writes a quantity (the API documentation's
// "canonical form", and what upstream's programs were seen to write): no fraction, the largest
// suffix of the same family (decimal, exponent, binary) that keeps the number whole.
//
// - What is finer than a billionth ("n") is rounded away from zero.
// - With a binary suffix, a number below 1024 or with a fraction is written with decimal suffixes,
//   and one beyond 64 bits becomes the greatest (or least) that they hold.
// - A number that is canonical and not long is left as it is spelled: "+5", "05", "5.", "1E3",
//   "1.500"; so is one whose exponent does not fit into 32 bits, or with more than a thousand
//   digits.
// - White space around it is not part of it, and a number without a digit is 0.
//
// Nothing when the text is not a quantity.
std::optional<std::string> CanonicalQuantity(std::string_view text);

}  // namespace config
