// Overwriting the texts of JSON values that hold secrets.
#pragma once

#include "data/json.h"

namespace data {

// WipeTexts overwrites all strings in a value, at every depth, and leaves them empty. Numbers,
// names of members and earlier copies stay.
void WipeTexts(Json& value);

// WipedJson is a value whose texts are overwritten when its life ends.
class WipedJson {
 public:
  explicit WipedJson(Json json) : value(std::move(json)) {}
  ~WipedJson() { WipeTexts(value); }
  WipedJson(const WipedJson&) = delete;
  WipedJson& operator=(const WipedJson&) = delete;

  Json value;
};

}  // namespace data
