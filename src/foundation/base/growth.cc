// SPDX-License-Identifier: Apache-2.0
#include "base/growth.h"

#include <cstring>

namespace base {
namespace {

constexpr std::size_t kMuch = std::size_t{1} << 20;

}  // namespace

void AppendWithin(std::size_t limit, std::string& text, std::string_view more) {
  const std::size_t size = text.size() + more.size();
  if (size > text.capacity() && size > kMuch) {
    text.reserve(limit);
  }
  text.append(more);
}

std::string Fitted(std::string text) {
  if (text.capacity() - text.size() < kMuch) {
    return text;
  }
  std::string fitted(text);
  ::explicit_bzero(text.data(), text.size());
  return fitted;
}

}  // namespace base
