// SPDX-License-Identifier: Apache-2.0
#include "http/rpc/status.h"

namespace rpc {

std::string_view LastCause(std::string_view message) {
  const auto colon = message.rfind(": ");
  return colon == std::string_view::npos ? message : message.substr(colon + 2);
}

}  // namespace rpc
