#include "data/wipe.h"

#include "base/secret_text.h"

namespace data {

void WipeTexts(Json& value) {
  if (value.is_string()) {
    base::Wipe(value.get_ref<std::string&>());
  }
  if (value.is_structured()) {
    for (Json& part : value) {
      WipeTexts(part);
    }
  }
}

}  // namespace data
