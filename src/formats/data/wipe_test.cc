#include "data/wipe.h"

#include <gtest/gtest.h>

namespace data {
namespace {

TEST(WipeTexts, OverwritesThemWhereTheyLie) {
  const std::string secret(100, 's');  // longer than what a string holds in itself
  Json value = {{"users", {{{"token", secret}}, 1, nullptr}}, {"plain", secret}};
  const auto& token = value["users"][0]["token"].get_ref<const std::string&>();
  const auto& plain = value["plain"].get_ref<const std::string&>();
  const char* const bytes[] = {token.data(), plain.data()};
  WipeTexts(value);
  EXPECT_EQ(value, Json({{"users", {{{"token", ""}}, 1, nullptr}}, {"plain", ""}}));
  for (const char* byte : bytes) {  // the room is still theirs
    EXPECT_EQ(std::string(byte, 100), std::string(100, '\0'));
  }
}

TEST(WipeTexts, LeavesWhatHoldsNone) {
  for (Json value : {Json(), Json(7), Json(true), Json::array(), Json::object()}) {
    const Json before = value;
    WipeTexts(value);
    EXPECT_EQ(value, before);
  }
}

}  // namespace
}  // namespace data
