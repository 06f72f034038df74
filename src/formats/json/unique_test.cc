// SPDX-License-Identifier: Apache-2.0
#include "json/unique.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace json {
namespace {

TEST(RequireUniqueMembers, AcceptsTheSameNameInDifferentObjects) {
  RequireUniqueMembers(R"([{"a":1,"b":{"a":[null,true,-1,1.5,"a"]}},{"a":2}])");
  RequireUniqueMembers("7");
}

TEST(RequireUniqueMembers, RefusesARepeatedNameAtAnyDepth) {
  for (const char* text :
       {R"({"a":1,"a":1})", R"([{"b":{},"a":{"x":1,"y":2,"x":3}}])", R"({"a":1,"\u0061":2})"}) {
    EXPECT_THROW(RequireUniqueMembers(text), base::Error) << text;
  }
}

}  // namespace
}  // namespace json
