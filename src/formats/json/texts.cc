// SPDX-License-Identifier: Apache-2.0
#include "json/texts.h"

#include "json/value.h"

namespace json {

std::vector<std::string> TextsIn(const Value& list) {
  std::vector<std::string> texts;
  if (list.is_array()) {
    for (const Value& item : list) {
      texts.push_back(item.is_string() ? item.get<std::string>() : "");
    }
  }
  return texts;
}

}  // namespace json
