// SPDX-License-Identifier: Apache-2.0
#include "json/number.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/error.h"

namespace json {
namespace {

struct Case {
  double value;
  std::string json;
  std::string yaml;
};

TEST(Number, IsWrittenAsGoWritesIt) {
  const Case cases[] = {
      {0, "0", "0"},
      {-0.0, "-0", "-0"},
      {1.5, "1.5", "1.5"},
      {-12, "-12", "-12"},
      {0.001, "0.001", "0.001"},
      {1e-5, "0.00001", "1e-05"},
      {1e-7, "1e-7", "1e-07"},
      {1.25e-10, "1.25e-10", "1.25e-10"},
      {123456, "123456", "123456"},
      {1e6, "1000000", "1e+06"},
      {1234567.5, "1234567.5", "1.2345675e+06"},
      {1e20, "100000000000000000000", "1e+20"},
      {9223372036854775808.0, "9223372036854776000", "9.223372036854776e+18"},
      {1e21, "1e+21", "1e+21"},
      {1e300, "1e+300", "1e+300"},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(FormatJsonNumber(c.value), c.json);
    EXPECT_EQ(FormatGeneralNumber(c.value), c.yaml);
  }
}

TEST(Number, RefusesNotANumberAndInfinity) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THROW(FormatJsonNumber(inf), base::Error);
  EXPECT_THROW(FormatJsonNumber(std::nan("")), base::Error);
  EXPECT_EQ(FormatGeneralNumber(inf), "+Inf");
  EXPECT_EQ(FormatGeneralNumber(-inf), "-Inf");
  EXPECT_EQ(FormatGeneralNumber(std::nan("")), "NaN");
}

}  // namespace
}  // namespace json
