// SPDX-License-Identifier: Apache-2.0
// Handmade requests that two readers could understand differently: each is a request of node panda,
// plus content that is meant to pass for it or to hide in it.
#pragma once

#include <string>
#include <vector>

namespace fuzz {

struct Trick {
  std::string name;
  std::string text;
};

// Returns the tricks; their keys, and so their bytes, are new in each process.
std::vector<Trick> RequestTricks();

}  // namespace fuzz
