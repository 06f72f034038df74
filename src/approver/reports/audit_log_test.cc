// SPDX-License-Identifier: Apache-2.0
#include "reports/audit_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/error.h"
#include "json/value.h"

namespace reports {
namespace {

using judgement::Csr;
using judgement::Decision;
using judgement::Reason;
using judgement::Verdict;
using testing::HasSubstr;
using testing::SizeIs;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(0)};

Csr Request() {
  return {.name = "a", .uid = "1", .username = "system:node:n\n2", .signer = "kubernetes.io/x"};
}

Verdict Leaves(Reason reason) {
  return {.decision = Decision::kRetry, .reason = reason, .message = "a\u202eb", .rules = {}};
}

TEST(AuditLine, IsOneLineOfJson) {
  const std::string line =
      AuditLine(Request(), Leaves(Reason::kClientNodeExists), Effect::kLeftPending, kNow);
  EXPECT_EQ(line,
            R"({"time":"1970-01-01T00:00:00Z","request":"a","uid":"1",)"
            R"("user":"system:node:n\\n2","signer":"kubernetes.io/x","effect":"left-pending",)"
            R"("decision":"retry","reason":"client-node-exists","message":"a\\u202eb"})");
  EXPECT_EQ(json::Parse(line)["message"], "a\\u202eb");
}

TEST(AuditLine, OmitsTheSignerOfATerminalRequest) {
  const std::string line =
      AuditLine({.name = "a", .uid = "1"}, Leaves(Reason::kBadPem), Effect::kWouldApprove, kNow);
  EXPECT_FALSE(json::Parse(line).contains("signer"));
  EXPECT_EQ(json::Parse(line)["effect"], "would-approve");
}

TEST(AuditLog, WritesALineForEachChange) {
  std::vector<std::string> lines;
  Metrics metrics;
  AuditLog log([&](std::string_view line) { lines.emplace_back(line); }, metrics);
  const auto record = [&](Reason reason, Effect effect) {
    log.Record(Request(), Leaves(reason), effect, kNow);
  };
  record(Reason::kClientNodeExists, Effect::kLeftPending);
  record(Reason::kClientNodeExists, Effect::kLeftPending);
  EXPECT_THAT(lines, SizeIs(1));
  record(Reason::kClientSuperseded, Effect::kLeftPending);
  record(Reason::kClientSuperseded, Effect::kApproved);
  EXPECT_THAT(lines, SizeIs(3));
  EXPECT_THAT(metrics.Text(),
              HasSubstr(R"(machine_approver_writes_total{kind="audit",outcome="ok"} 3)"));
}

TEST(AuditLog, CountsFailures) {
  Metrics metrics;
  AuditLog log([](std::string_view) { throw base::Error("the disk is full"); }, metrics);
  log.Record(Request(), Leaves(Reason::kBadPem), Effect::kLeftPending, kNow);
  EXPECT_THAT(metrics.Text(),
              HasSubstr(R"(machine_approver_writes_total{kind="audit",outcome="failed"} 1)"));
}

}  // namespace
}  // namespace reports
