// SPDX-License-Identifier: Apache-2.0
// Common parts of all fuzz targets: the entry point's name, and the abort on a violated property.
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

// Aborts the run if a property does not hold.
inline void Require(bool holds, const char* property) {
  if (!holds) {
    std::fprintf(stderr, "does not hold: %s\n", property);
    std::abort();
  }
}

// Runs `body` and returns whether it threw base::Error; any other exception ends the run.
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
