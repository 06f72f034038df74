// SPDX-License-Identifier: Apache-2.0
#include "base/secret_text.h"

#include <cstring>

namespace base {

void Wipe(std::string& text) {
  text.resize(text.capacity());
  ::explicit_bzero(text.data(), text.size());
  text.clear();
}

}  // namespace base
