// SPDX-License-Identifier: Apache-2.0
#include "json/wipe.h"

#include <gtest/gtest.h>

namespace json {
namespace {

TEST(WipeTexts, OverwritesStringsInPlace) {
  const std::string secret(100, 's');  // too long for the string's own fields
  Value value = {{"users", {{{"token", secret}}, 1, nullptr}}, {"plain", secret}};
  const auto& token = value["users"][0]["token"].get_ref<const std::string&>();
  const auto& plain = value["plain"].get_ref<const std::string&>();
  const char* const bytes[] = {token.data(), plain.data()};
  WipeTexts(value);
  EXPECT_EQ(value, Value({{"users", {{{"token", ""}}, 1, nullptr}}, {"plain", ""}}));
  for (const char* byte : bytes) {  // the memory still belongs to the strings
    EXPECT_EQ(std::string(byte, 100), std::string(100, '\0'));
  }
}

TEST(WipeTexts, KeepsValuesWithoutStrings) {
  for (Value value : {Value(), Value(7), Value(true), Value::array(), Value::object()}) {
    const Value before = value;
    WipeTexts(value);
    EXPECT_EQ(value, before);
  }
}

}  // namespace
}  // namespace json
