// SPDX-License-Identifier: Apache-2.0
// Texts of requests that two readers could understand differently, made by hand: each is a request
// of node panda, and something that is meant to pass for it or hide in it.
#pragma once

#include <string>
#include <vector>

namespace fuzz {

struct Trick {
  std::string name;
  std::string text;
};

// RequestTricks are the tricks; their keys, and so their bytes, are new in each process.
std::vector<Trick> RequestTricks();

}  // namespace fuzz
