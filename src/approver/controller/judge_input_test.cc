// SPDX-License-Identifier: Apache-2.0
#include "controller/judge_input.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"

namespace controller {
namespace {

using testing::SizeIs;

TEST(SplitInputs, SplitsLinesAndListsIntoObjects) {
  EXPECT_THAT(SplitInputs("{\n \"a\": 1\n}\n"), SizeIs(1));
  EXPECT_THAT(SplitInputs("{\"a\":1}\n\n{\"a\":2}\n"), SizeIs(2));
  EXPECT_THAT(SplitInputs("[{},{},{}]"), SizeIs(3));
  EXPECT_THAT(SplitInputs(" \n"), SizeIs(0));
  EXPECT_THROW(SplitInputs("{}\n{\n"), base::Error);
  EXPECT_THROW(SplitInputs("{\n \"a\": \n"), base::Error);
}

TEST(JudgeInput, DisablesClientApprovalIfTheConfigurationIsUnreadable) {
  const json::Value input =
      json::Parse(R"({"csr":null,"config":{"nodeClientCert":{"disabled":"x"}}})");
  EXPECT_EQ(JudgeInput(input, {}).reason, judgement::Reason::kInvalidCall);
  EXPECT_EQ(VerdictLine(JudgeInput(input, {})),
            R"({"decision":"ignore","reason":"invalid-call","rules":[{"rule":"request-given",)"
            R"("passed":false,"compared":"there is no request"}]})");
}

}  // namespace
}  // namespace controller
