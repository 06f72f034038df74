// SPDX-License-Identifier: Apache-2.0
// What every fuzz target shares: the entry point's name, and how a broken promise ends the run.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "base/error.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size);

namespace fuzz {

inline std::string_view Text(const std::uint8_t* bytes, std::size_t size) {
  return {reinterpret_cast<const char*>(bytes), size};
}

// Require ends the run when a property does not hold.
inline void Require(bool holds, const char* property) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
  }
}

// Refused runs `body` and tells whether it threw base::Error; any other exception ends the run.
template <typename F>
bool Refused(F&& body) {
  try {
    body();
    return false;
  } catch (const base::Error&) {
    return true;
  }
}

}  // namespace fuzz
