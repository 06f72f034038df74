// SPDX-License-Identifier: Apache-2.0
// Limits of the work that a request causes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "pki/fake_request.h"
#include "pki/request.h"

namespace pki {
namespace {

using testing::HasSubstr;

// Returns why the request is refused; "" if it is not.
std::string FaultOf(const FakeRequestSpec& spec) {
  const auto read = ReadRequest(FakeRequestPem(spec));
  return read ? "" : read.error().text;
}

// Returns an extension with that number in its OID, in DER.
std::string Extension(int number) {
  return DerOf(0x30,
               DerOf(0x06, std::string("\x2A\x03") + static_cast<char>(number)) + DerOf(0x04, ""));
}

TEST(RequestLimits, BoundTheAlternativeNames) {
  FakeRequestSpec spec;
  spec.names.assign(256, {0x82, "a"});
  EXPECT_EQ(FaultOf(spec), "");
  spec.names.emplace_back(0x82, "a");
  EXPECT_THAT(FaultOf(spec), HasSubstr("more than 256 alternative names"));
}

TEST(RequestLimits, BoundTheSubject) {
  FakeRequestSpec spec;
  spec.subject.assign(32, {kFakeOrganization, "a"});
  EXPECT_EQ(FaultOf(spec), "");
  spec.subject.push_back({kFakeOrganization, "a"});
  EXPECT_THAT(FaultOf(spec), HasSubstr("more than 32 attributes of the subject"));
}

TEST(RequestLimits, BoundTheExtensions) {
  FakeRequestSpec spec{.names = {{0x82, "a"}}};
  for (int i = 0; i < 31; ++i) {
    spec.more_extensions += Extension(i);
  }
  EXPECT_EQ(FaultOf(spec), "");
  spec.more_extensions += Extension(31);
  EXPECT_THAT(FaultOf(spec), HasSubstr("more than 32 extensions"));
}

TEST(RequestLimits, BoundTheAttributes) {
  FakeRequestSpec spec;
  for (int i = 0; i < 40; ++i) {
    spec.more_attributes +=
        DerOf(0x30, DerOf(0x06, "\x2A\x03\x04") +
                        DerOf(0x31, DerOf(0x0C, std::string(1, static_cast<char>('A' + i)))));
  }
  EXPECT_THAT(FaultOf(spec), HasSubstr("more than 32 attributes"));
}

}  // namespace
}  // namespace pki
