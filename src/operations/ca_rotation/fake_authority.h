// SPDX-License-Identifier: Apache-2.0
// Authorities for tests.
#pragma once

#include <algorithm>
#include <string_view>

#include "ca_rotation/authority.h"

namespace ca_rotation {

// Returns the row with that name, which must exist.
inline const Authority& Named(std::string_view name) {
  return *std::ranges::find(Authorities(), name, &Authority::name);
}

}  // namespace ca_rotation
