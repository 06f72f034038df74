// SPDX-License-Identifier: Apache-2.0
#include "base/error.h"

#include <gtest/gtest.h>

#include "base/fake_error.h"

namespace base {
namespace {

TEST(Error, KeepsItsKindWhenContextIsAdded) {
  const base::Error error = base::Thrown([&] {
    WithContext("error execution phase certs/ca", [] {
      WithContext("couldn't load CA certificate",
                  [] { throw Error(Error::Kind::kNotFound, "no such file"); });
    });
  });
  EXPECT_STREQ(error.what(),
               "error execution phase certs/ca: couldn't load CA certificate: no such file");
  EXPECT_EQ(error.kind(), Error::Kind::kNotFound);
  EXPECT_EQ(error.trace().size(), 3U);
}

TEST(Interrupted, StaysAnInterruptWhenContextIsAdded) {
  const auto swallow = [](const auto& body) {
    try {
      body();
    } catch (const std::exception&) {
      ADD_FAILURE() << "an interruption was taken for a failure";
    }
  };
  EXPECT_EQ(InterruptionOf([&] {
              swallow([] {
                WithContext("couldn't reach the cluster", [] { throw Interrupted("stopped"); });
              });
            }),
            "couldn't reach the cluster: stopped");
}

TEST(Error, WithContextReturnsWhatItsBodyReturns) {
  EXPECT_EQ(WithContext("unused", [] { return 7; }), 7);
}

}  // namespace
}  // namespace base
