// SPDX-License-Identifier: Apache-2.0
#include "base/problems.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace base {
namespace {

TEST(Problems, PrintsSeveralProblemsInBrackets) {
  Problems problems;
  problems.Add("a.b", InvalidValue("\"x\"", "not a number"));
  EXPECT_EQ(problems.Text(), "a.b: Invalid value: \"x\": not a number");
  problems.Add("", "something else");
  EXPECT_EQ(problems.Text(), "[a.b: Invalid value: \"x\": not a number, something else]");
}

TEST(Problems, PrintsTheSameTextOnce) {
  Problems problems;
  problems.Add("a", "bad");
  problems.Add("a", "bad");
  EXPECT_EQ(problems.Text(), "a: bad");
}

TEST(Problems, ThrowOnlyIfThereIsAProblem) {
  Problems problems;
  EXPECT_NO_THROW(problems.ThrowIfAny());
  problems.Add("a", "bad");
  EXPECT_THROW(problems.ThrowIfAny(), Error);
}

TEST(FieldErrors, NameTheKindOfError) {
  EXPECT_EQ(RequiredValue(""), "Required value");
  EXPECT_EQ(RequiredValue("give one"), "Required value: give one");
}

}  // namespace
}  // namespace base
