// SPDX-License-Identifier: Apache-2.0
// Overwriting the strings of JSON values that hold secrets.
#pragma once

#include "json/value.h"

namespace json {

// Overwrites all strings in a value, at every depth, and leaves them empty. Numbers, names of
// members and earlier copies stay.
void WipeTexts(Value& value);

// A value whose strings are overwritten in its destructor.
class Wiped {
 public:
  explicit Wiped(Value json) : value(std::move(json)) {}
  ~Wiped() { WipeTexts(value); }
  Wiped(const Wiped&) = delete;
  Wiped& operator=(const Wiped&) = delete;

  Value value;
};

}  // namespace json
