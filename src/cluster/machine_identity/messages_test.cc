// SPDX-License-Identifier: Apache-2.0
#include "machine_identity/messages.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace machine_identity {
namespace {

TEST(Question, SurvivesItsJson) {
  const Question read = ReadQuestion(ToJson(Question{.request_pem = "r", .document = "d\n\"x\""}));
  EXPECT_EQ(read.request_pem, "r");
  EXPECT_EQ(read.document, "d\n\"x\"");
}

TEST(Question, RefusesUnknownContent) {
  for (const char* bad : {"", "x", "[]", "null", R"({"document":1})", R"({"document":null})",
                          R"({"hostname":"worker-1"})", R"({"document":"a","document":"b"})",
                          R"({"document":{"a":"b"}})"}) {
    EXPECT_THROW(ReadQuestion(bad), base::Error) << bad;
  }
}

TEST(Answer, SurvivesItsJson) {
  EXPECT_EQ(ReadAnswer(ToJson(Answer{.certificate_pem = "c", .message = {}})).certificate_pem, "c");
  EXPECT_EQ(ReadAnswer(ToJson(Answer{.certificate_pem = {}, .message = "m"})).message, "m");
  EXPECT_THROW(ReadAnswer("<html>"), base::Error);
}

}  // namespace
}  // namespace machine_identity
