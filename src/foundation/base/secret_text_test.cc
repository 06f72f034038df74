// SPDX-License-Identifier: Apache-2.0
#include "base/secret_text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <new>
#include <stdexcept>

namespace base {
namespace {

TEST(SecretText, WipesShortAndLongStrings) {
  for (const std::size_t size : {0U, 1U, 15U, 16U, 64U, 4000U}) {
    std::string text(size, 'k');
    const char* place = text.data();
    Wipe(text);
    EXPECT_TRUE(text.empty());
    EXPECT_EQ(text.data(), place);
    EXPECT_TRUE(std::all_of(place, place + size, [](char c) { return c == '\0'; })) << size;
  }
}

TEST(SecretText, IsOverwrittenInItsDestructor) {
  alignas(SecretText) unsigned char room[sizeof(SecretText)];
  const auto* secret = new (room) SecretText("short");  // stored within the object itself
  EXPECT_EQ(std::string_view(*secret), "short");
  EXPECT_EQ(secret->text(), "short");
  secret->~SecretText();
  EXPECT_EQ(std::string_view(reinterpret_cast<const char*>(room), sizeof room).find("short"),
            std::string_view::npos);
}

TEST(Wiper, OverwritesInItsDestructorEvenAfterAnException) {
  std::string text(100, 's');
  const char* const bytes = text.data();
  try {
    const Wiper wiper(text);
    EXPECT_EQ(text.size(), 100U);
    throw std::runtime_error("failed");
  } catch (const std::runtime_error&) {
  }
  EXPECT_EQ(text, "");
  // the capacity still belongs to the string
  EXPECT_EQ(std::string(bytes, 100), std::string(100, '\0'));
}

}  // namespace
}  // namespace base
