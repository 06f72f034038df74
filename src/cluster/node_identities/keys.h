// SPDX-License-Identifier: Apache-2.0
// The key of the setting in the ConfigMap of node identities, and its values. Internal to this
// library.
#pragma once

#include <string_view>

namespace node_identities {

inline constexpr std::string_view kTokensKey = "tokens";
inline constexpr std::string_view kBoundOnly = "bound-only";
inline constexpr std::string_view kAllTokens = "all";

}  // namespace node_identities
