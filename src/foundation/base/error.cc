// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

namespace base {

void Error::Prepend(std::string_view what, std::source_location at) {
  message_ = std::string(what) + ": " + message_;
  trace_.push_back(at);
}

}  // namespace base
