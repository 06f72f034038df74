// SPDX-License-Identifier: Apache-2.0
// Overwriting the texts of JSON values that hold secrets.
#pragma once

#include "json/value.h"

namespace json {

// WipeTexts overwrites all strings in a value, at every depth, and leaves them empty. Numbers,
// names of members and earlier copies stay.
void WipeTexts(Value& value);

// Wiped is a value whose texts are overwritten when its life ends.
class Wiped {
 public:
  explicit Wiped(Value json) : value(std::move(json)) {}
  ~Wiped() { WipeTexts(value); }
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;

  Value value;
};

}  // namespace json
