// SPDX-License-Identifier: Apache-2.0
// Quantities of the Kubernetes API: "1500m", "100Mi", "2".
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace config {

// CanonicalQuantity is the form that Kubernetes writes: no fraction, the largest suffix of the same
// family (decimal or binary) that keeps the number whole. Nothing when the text is no quantity. A
// number too long for 64 bits, or with an exponent, is left as it is.
std::optional<std::string> CanonicalQuantity(std::string_view text);

}  // namespace config
