// SPDX-License-Identifier: Apache-2.0
// The controller in the shadow mode: another approver decides.
#include "controller/shadow.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <mutex>
#include <string>
#include <vector>

#include "controller/fake_controller.h"
#include "json/rfc3339.h"

namespace controller {
namespace {

using evidence::CsrObject;
using judgement::FakeWorld;
using kube::resources::kCsr;
using testing::HasSubstr;
using testing::Not;

class ShadowTest : public ControllerTest {
 protected:
  ShadowTest() {
    settings_.shadow = true;
    settings_.audit_sink = [this](std::string_view line) {
      const std::lock_guard lock(mutex_);
      lines_.emplace_back(line);
    };
  }

  // Adds the request with the other approver's decision. The time of the decision has the given
  // offset from now.
  void Decide(json::Value csr, const std::string& type,
              std::chrono::seconds ago = std::chrono::seconds(0)) {
    csr["status"] = {{"conditions",
                      {{{"type", type},
                        {"status", "True"},
                        {"lastTransitionTime", json::FormatRfc3339(clock_.NowSeconds() - ago)}}}}};
    server_.Put(kCsr, std::move(csr));
  }
  std::string Compared(const std::string& verdict, const std::string& outcome,
                       const std::string& agreement) {
    return "machine_approver_shadow_comparisons_total{verdict=\"" + verdict + "\",outcome=\"" +
           outcome + "\",agreement=\"" + agreement + "\"";
  }
  void UntilCompared(const std::string& verdict, const std::string& outcome,
                     const std::string& agreement) {
    const std::string line = Compared(verdict, outcome, agreement);
    Until(line, [&] { return controller_->MetricsText().contains(line); });
  }
  void UntilAudited(const std::string& text) {
    Until(text, [&] {
      const std::lock_guard lock(mutex_);
      return std::ranges::any_of(lines_,
                                 [&](const std::string& line) { return line.contains(text); });
    });
  }
  void ExpectNoWrites() {
    for (const std::string& request : server_.Requests()) {
      EXPECT_THAT(request, testing::StartsWith("GET ")) << "the shadow mode writes nothing";
    }
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;  // guarded by mutex_
};

TEST_F(ShadowTest, AgreesWithAnApprovalThatItWouldMake) {
  PutMachine("panda");
  Start();
  const json::Value csr = CsrObject(FakeWorld::Client(), "a");
  server_.Put(kCsr, csr);
  UntilAudited("would-approve");
  EXPECT_FALSE(Approved("a"));
  Decide(csr, "Approved");
  UntilCompared("approve", "approved", "agree");
  ExpectNoWrites();
}

TEST_F(ShadowTest, DisagreesWithAnApprovalThatItWouldNotMake) {
  Start();
  const json::Value csr = CsrObject(FakeWorld::Client(), "a");
  server_.Put(kCsr, csr);
  UntilAudited("would-leave-pending");
  Decide(csr, "Approved", reports::ShadowBook::kPatience);
  UntilCompared("leave-pending", "approved", "disagree");
  ExpectNoWrites();
}

TEST_F(ShadowTest, AgreesIfTheEvidenceArrivesSoonAfterTheApproval) {
  Start();
  const json::Value csr = CsrObject(FakeWorld::Client(), "a");
  server_.Put(kCsr, csr);
  UntilAudited("would-leave-pending");
  Decide(csr, "Approved");
  PutMachine("panda");
  UntilCompared("approve", "approved", "agree");
}

TEST_F(ShadowTest, ComparesAJoinWhoseNodeIsThereAlready) {
  PutMachine("panda");
  json::Value node = evidence::NodeObject("panda", "10.0.0.1");
  node["metadata"]["creationTimestamp"] =
      json::FormatRfc3339(FakeWorld::Client().csr.created + std::chrono::seconds(1));
  server_.Put(kube::resources::kNode, node);
  Start();
  Decide(CsrObject(FakeWorld::Client(), "a"), "Approved");
  UntilCompared("approve", "approved", "agree");
}

TEST_F(ShadowTest, DisagreesWithAnApprovalForANodeThatExisted) {
  PutMachine("panda");
  server_.Put(kube::resources::kNode, evidence::NodeObject("panda", "10.0.0.1"));
  Start();
  Decide(CsrObject(FakeWorld::Client(), "a"), "Approved");
  UntilCompared("leave-pending", "approved", "disagree");
}

TEST_F(ShadowTest, JudgesARequestThatWasDecidedFirst) {
  PutMachine("panda");
  Start();
  Decide(CsrObject(FakeWorld::Client(), "a"), "Denied");
  UntilCompared("approve", "denied", "disagree");
}

TEST_F(ShadowTest, ComparesADecidedRequestOnlyOnce) {
  PutMachine("panda");
  Start();
  Decide(CsrObject(FakeWorld::Client(), "a"), "Approved");
  UntilCompared("approve", "approved", "agree");
  Decide(CsrObject(FakeWorld::Client(), "a"), "Approved");
  FakeWorld broken = FakeWorld::Client();
  broken.request.break_signature = true;
  Decide(CsrObject(broken, "b"), "Denied");
  UntilCompared("leave-pending", "denied", "agree");
  EXPECT_THAT(controller_->MetricsText(), HasSubstr("reason=\"client-ok\"} 1\n"));
}

TEST_F(ShadowTest, OldDecisionsAreNotCompared) {
  PutMachine("panda");
  Decide(CsrObject(FakeWorld::Client(), "old"), "Approved", std::chrono::seconds(60));
  Start();
  FakeWorld broken = FakeWorld::Client();
  broken.request.break_signature = true;
  Decide(CsrObject(broken, "b"), "Denied");
  UntilCompared("leave-pending", "denied", "agree");
  EXPECT_THAT(controller_->MetricsText(), Not(HasSubstr(Compared("approve", "approved", "agree"))));
}

TEST_F(ShadowTest, CountsARequestRemovedWithoutADecision) {
  PutMachine("panda");
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilAudited("would-approve");
  server_.Remove(kCsr, "", "a");
  UntilCompared("approve", "undecided", "disagree");
}

TEST_F(ShadowTest, LogsAnApprovalOutsideOfTheShadowMode) {
  settings_.shadow = false;
  PutMachine("panda");
  Start();
  server_.Put(kCsr, CsrObject(FakeWorld::Client(), "a"));
  UntilAudited("\"effect\":\"approved\"");
  UntilAudited("client-ok");
}

}  // namespace
}  // namespace controller
