// SPDX-License-Identifier: Apache-2.0
#include "json/wipe.h"

#include "base/secret_text.h"

namespace json {

void WipeTexts(Value& value) {
  if (value.is_string()) {
    base::Wipe(value.get_ref<std::string&>());
  }
  if (value.is_structured()) {
    for (Value& part : value) {
      WipeTexts(part);
    }
  }
}

}  // namespace json
