// SPDX-License-Identifier: Apache-2.0
#include "json/budget.h"

namespace json::cost {
namespace {

// std::string stores this many characters without an allocation.
constexpr std::size_t kWithin = 15;

std::size_t Characters(const std::string& text) { return text.size() > kWithin ? text.size() : 0; }

}  // namespace

std::size_t Of(const Value& value) {
  if (value.is_string()) {
    return kScalar + kText + Characters(value.get_ref<const std::string&>());
  }
  if (!value.is_structured()) {
    return kScalar;
  }
  std::size_t sum = kStructure;
  for (const auto& [name, member] : value.items()) {
    sum += Of(member) + (value.is_object() ? kMember + Characters(name) : 0);
  }
  return sum;
}

}  // namespace json::cost
