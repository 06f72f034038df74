// SPDX-License-Identifier: Apache-2.0
#include "discovery/judge.h"

#include <fmt/core.h>
#include <gmock/gmock.h>

#include "json/rfc3339.h"
#include "json/value.h"

namespace discovery {
namespace {

using Kind = base::Error::Kind;
using What = Decision::What;
using std::chrono::minutes;
using std::chrono::seconds;
using std::chrono::sys_seconds;

const sys_seconds kNow{seconds(1'800'000'000)};
constexpr base::Duration kLong = minutes(10);

Facts Answered(int status, const json::Value& body, base::Duration answering = kLong) {
  return {.server = "10.0.0.1:6443",
          .token_id = "abcdef",
          .failure = {},
          .answer = {.status = status, .body = body.dump(), .date = kNow},
          .answering = answering};
}

Facts Refused(int status, base::Duration answering = kLong) {
  return Answered(status, {{"kind", "Status"}, {"message", "no"}}, answering);
}

// A cluster-info without a signature, created some time ago.
Facts Unsigned(seconds age, base::Duration answering = kLong,
               const json::Value& managed_fields = json::Value::array()) {
  return Answered(200,
                  {{"kind", "ConfigMap"},
                   {"metadata",
                    {{"managedFields", managed_fields},
                     {"creationTimestamp", json::FormatRfc3339(kNow - age)}}},
                   {"data", {{"kubeconfig", "x"}}}},
                  answering);
}

struct Row {
  std::string name;
  Facts facts;
  What what;
  std::string why = {};
  Kind kind = Kind::kOther;
};

void Check(Decision (*judge)(const Facts&), const std::vector<Row>& rows) {
  for (const Row& row : rows) {
    const Decision decision = judge(row.facts);
    EXPECT_EQ(decision.what, row.what) << row.name;
    EXPECT_EQ(decision.why, row.why) << row.name;
    EXPECT_EQ(decision.kind, row.kind) << row.name;
  }
}

constexpr const char* kForbidden = "reading cluster-info is forbidden at 10.0.0.1:6443";
constexpr const char* kStaysForbidden =
    "10.0.0.1:6443 does not let anonymous callers read ConfigMap cluster-info of namespace "
    "kube-public, which discovery by token needs; run \"kubeadm init phase bootstrap-token\" on a "
    "control-plane node, or join with --discovery-file";
constexpr const char* kNewAndForbidden =
    "the control plane at 10.0.0.1:6443 is new, and reading cluster-info is still forbidden";

Facts ForbiddenSince(seconds age_of_certificate, base::Duration answering = kLong) {
  Facts facts = Refused(403, answering);
  facts.answer.certificate_from = kNow - age_of_certificate;
  return facts;
}

TEST(JudgeForToken, RetriesAForbiddenCallOfANewServer) {
  Facts has_rules = Refused(403, seconds(60));
  has_rules.has_read_rules = true;
  Facts old = ForbiddenSince(minutes(15));
  old.has_read_rules = true;
  Check(JudgeForToken,
        {{"restarted", Refused(403, seconds(59)), What::kWait, kForbidden},
         {"restarted long ago", Refused(403, seconds(60)), What::kWait, kStaysForbidden},
         {"has read its rules", has_rules, What::kRefuse, kStaysForbidden, Kind::kForbidden},
         {"made just now", ForbiddenSince(minutes(15) - seconds(1)), What::kWait, kNewAndForbidden},
         {"made a while ago", old, What::kRefuse, kStaysForbidden, Kind::kForbidden}});
}

TEST(JudgeForToken, WaitsForAMissingObjectOnlyWhileItMayAppear) {
  constexpr const char* kNotFound = "ConfigMap cluster-info was not found at 10.0.0.1:6443";
  constexpr const char* kGone =
      "the cluster at 10.0.0.1:6443 has no ConfigMap cluster-info in namespace kube-public; make "
      "it again with \"kubeadm init phase bootstrap-token\" on a control-plane node, or join with "
      "--discovery-file";
  Facts fresh = Refused(404);
  fresh.answer.certificate_from = kNow - minutes(6);
  Check(JudgeForToken,
        {{"at once", Refused(404, std::chrono::milliseconds(2'999)), What::kWait, kNotFound},
         {"later", Refused(404, seconds(3)), What::kRefuse, kGone, Kind::kNotFound},
         {"a new control plane", fresh, What::kWait, kNotFound}});
}

TEST(JudgeForToken, WaitsForASignature) {
  const std::string unsigned_text =
      "cluster-info at 10.0.0.1:6443 has no JWS signature for token ID \"abcdef\"";
  const std::string advice =
      "; get a new one with \"kubeadm token create --print-join-command\" on a control-plane node";
  const json::Value signer = json::Value::array({{{"manager", "kube-controller-manager"}}});
  Facts pinned = Unsigned(seconds(59));
  pinned.pin = Pin::kSoon;
  Facts late = Unsigned(seconds(59), seconds(59));
  late.pin = Pin::kLate;
  Facts known = Unsigned(seconds(60), seconds(3), signer);
  known.pin = Pin::kSoon;
  Check(JudgeForToken,
        {{"a new cluster", Unsigned(seconds(59)), What::kWait,
          "the cluster at 10.0.0.1:6443 is new and has not signed cluster-info for token ID "
          "\"abcdef\" yet"},
         {"a new cluster, pinned", pinned, What::kUse},
         {"a new cluster that did not know the token", late, What::kWait,
          "the cluster at 10.0.0.1:6443 is new and has not signed cluster-info for token ID "
          "\"abcdef\" yet"},
         {"a signer that is late, pinned", known, What::kUse},
         {"a token made now", Unsigned(seconds(60), seconds(59)), What::kWait, unsigned_text},
         {"nobody signs", Unsigned(seconds(60), seconds(60)), What::kWait,
          unsigned_text +
              ": nothing signs there: all tokens have expired, or the controller manager does not "
              "run its controller \"bootstrapsigner\"" +
              advice},
         {"the token is gone", Unsigned(seconds(1), seconds(60), signer), What::kWait,
          unsigned_text +
              ": the token is unknown to the cluster, has expired, or may not sign, or the "
              "controller manager, which signs, does not run" +
              advice}});
}

TEST(JudgeForToken, ReportsAServerThatIsNotAnApiServer) {
  const auto no_kubernetes = [](int status) {
    return fmt::format(
        "the server at 10.0.0.1:6443 is not a Kubernetes API server (status {}); check address "
        "and "
        "port",
        status);
  };
  Check(JudgeForToken,
        {{"a page", Answered(200, "hello"), What::kRefuse, no_kubernetes(200), Kind::kInvalid},
         {"another 403", Answered(403, "hello"), What::kRefuse, no_kubernetes(403), Kind::kInvalid},
         {"no anonymous callers", Answered(401, "hello"), What::kRefuse,
          "10.0.0.1:6443 rejects anonymous requests, which discovery by token needs "
          "(is --anonymous-auth=false set for its API server?); join with --discovery-file",
          Kind::kUnauthorized}});
}

TEST(JudgeForToken, RetriesATimeoutAndNotARefusal) {
  const auto failed = [](Kind kind) {
    Facts facts = Refused(0);
    facts.failure = base::Error(kind, "it failed");
    return facts;
  };
  Check(JudgeForToken,
        {{"gone", failed(Kind::kUnavailable), What::kWait, "it failed"},
         {"slow", failed(Kind::kTimeout), What::kWait, "it failed"},
         {"odd", failed(Kind::kOther), What::kWait, "it failed"},
         {"wrong", failed(Kind::kInvalid), What::kRefuse, "it failed", Kind::kInvalid}});
}

TEST(JudgeForFile, AcceptsATrustedServerThatForbidsClusterInfo) {
  const Decision decision = JudgeForFile(Refused(403));
  EXPECT_EQ(decision.what, What::kUse);
  EXPECT_FALSE(decision.info);
  EXPECT_NE(decision.why, "");
}

TEST(JudgeDocument, RefusesAServerThatSendsNoDocument) {
  Facts gone = Refused(0);
  gone.failure = base::Error(Kind::kUnavailable, "nobody there");
  Check(JudgeDocument, {{"served", Answered(200, "x"), What::kUse},
                        {"busy", Answered(503, "x"), What::kRefuse,
                         "the server answered with status 503", Kind::kUnavailable},
                        {"missing", Answered(404, "x"), What::kRefuse,
                         "the server answered with status 404", Kind::kNotFound},
                        {"gone", gone, What::kRefuse, "nobody there", Kind::kUnavailable}});
}

}  // namespace
}  // namespace discovery
