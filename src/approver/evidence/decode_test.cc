// SPDX-License-Identifier: Apache-2.0
#include "evidence/decode.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace evidence {
namespace {

using judgement::Machine;

TEST(DecodeMachine, RefusesOtherTypesAndIgnoresTheCaseOfFieldNames) {
  const Machine machine = DecodeMachine(json::Parse(R"({"metadata":{"name":"m","namespace":"n",
        "creationTimestamp":"2026-01-01T00:00:00Z","deletionTimestamp":"2026-01-02T00:00:00Z"},
        "Status":{"ADDRESSES":[{"Type":"InternalDNS","address":"a"}],"noderef":{}}})"),
                                        "g");
  EXPECT_EQ(machine.created, judgement::Time(std::chrono::seconds(1767225600)));
  EXPECT_TRUE(machine.deleting);
  EXPECT_EQ(machine.node_ref, "");
  EXPECT_EQ(machine.addresses.at(0).address, "a");
  for (const char* bad : {R"({"status":{"addresses":{}}})", R"({"status":{"addresses":[1]}})",
                          R"({"status":{"addresses":[{"type":1}]}})", R"({"status":[]})",
                          R"({"status":{"nodeRef":"a"}})", R"({"status":{"nodeRef":{"name":1}}})",
                          R"({"metadata":{"creationTimestamp":"yesterday"}})",
                          R"({"metadata":{"creationTimestamp":5}})"}) {
    EXPECT_THROW(DecodeMachine(json::Parse(bad), "g"), base::Error) << bad;
  }
  for (const char* fine : {"{}", R"({"status":null})", R"({"status":{"addresses":null}})",
                           R"({"metadata":{"creationTimestamp":null}})"}) {
    EXPECT_NO_THROW(DecodeMachine(json::Parse(fine), "g")) << fine;
  }
}

}  // namespace
}  // namespace evidence
