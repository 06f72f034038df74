// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/report.h"

#include <gmock/gmock.h>

#include <algorithm>

#include "ca_rotation/fake_authority.h"
#include "json/value.h"

namespace ca_rotation {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using Kind = Decision::Kind;

// Returns the facts of a control-plane node that trusts both authorities, in a rotation to "fresh".
Situation Sample(std::string_view authority = "kubernetes") {
  return {.authority = &Named(authority),
          .node = "n1",
          .live_pin = "before",
          .record = RotationRecord{.pin = "fresh"},
          .holders = {{.name = "/pki/ca.crt",
                       .trusts = std::vector<std::string>{"before", "fresh"},
                       .signer = "before"},
                      {.name = "/pki/ca.key", .signer = "before"}},
          .nodes = {{.name = "n1", .control_plane = true, .done = Step::kTrust}, {.name = "w1"}}};
}

Situation OnWorker() {
  Situation situation = Sample();
  situation.control_plane = false;
  return situation;
}

TEST(Refusal, IsEmptyWithAnOpenStepOrAFinishedRotation) {
  for (const Kind kind : {Kind::kBegin, Kind::kStep, Kind::kFinished}) {
    EXPECT_EQ(Refusal(Sample(), {.kind = kind}), std::nullopt);
  }
}

TEST(Refusal, NamesTheNodesThatAreBehindAndTheCommand) {
  const std::string text =
      Refusal(Sample(), {.kind = Kind::kWait, .step = Step::kReissue, .behind = {"w1", "w2"}})
          .value();
  EXPECT_THAT(text, StartsWith("step reissue must wait: these nodes have not done step trust: "
                               "w1, w2; run \"kubeadm certs rotate-ca kubernetes\" on each"));
}

TEST(Refusal, NamesTheFlagToLeaveANodeBehind) {
  EXPECT_THAT(
      Refusal(Sample(), {.kind = Kind::kWait, .step = Step::kReissue, .behind = {"w1"}}).value(),
      HasSubstr("with --leave-behind NAME: it loses the cluster"));
}

TEST(LeftBehindText, ExplainsTheConsequencesForTheNodes) {
  EXPECT_EQ(LeftBehindText(Sample()), "");
  Situation situation = Sample();
  situation.nodes[1].left_behind = true;
  EXPECT_THAT(LeftBehindText(situation),
              HasSubstr("(--leave-behind): w1. After step drop such a node knows only the old"));
  EXPECT_THAT(TextOf({.situation = situation, .decision = {}}), HasSubstr("-, left behind"));
}

TEST(Refusal, TellsAWorkerToWaitForTheControlPlane) {
  EXPECT_THAT(Refusal(OnWorker(), {.kind = Kind::kWait, .step = Step::kDrop}).value(),
              StartsWith("step drop has not begun on the control plane"));
}

TEST(Refusal, ReportsWhenTokensOfTheOldKeyExpire) {
  EXPECT_THAT(Refusal(Sample("sa"), {.kind = Kind::kTooEarly,
                                     .step = Step::kDrop,
                                     .until = std::chrono::sys_seconds(std::chrono::seconds(60))})
                  .value(),
              HasSubstr("until 1970-01-01T00:01:00Z"));
}

TEST(Refusal, ExplainsHowToCopyThePairToThisNode) {
  const std::string text =
      Refusal(Sample("etcd"), {.kind = Kind::kNeedsPair, .step = Step::kTrust}).value();
  EXPECT_THAT(text, HasSubstr("kubeadm certs rotate-ca etcd --upload-certs"));
  EXPECT_THAT(text, HasSubstr("the directory rotate-ca/etcd of its certificates"));
}

TEST(NextText, ContinuesWithTheNodesThatAreBehind) {
  EXPECT_EQ(NextText(Sample(), Step::kTrust, {"w1"}),
            "Next: \"kubeadm certs rotate-ca kubernetes\" on each of: w1");
}

TEST(NextText, NamesTheActionsBeforeTheOldAuthorityIsDropped) {
  EXPECT_THAT(NextText(Sample(), Step::kReissue, {}), HasSubstr("replace copies of admin.conf"));
  EXPECT_THAT(NextText(Sample("sa"), Step::kReissue, {}),
              HasSubstr("Pods get new tokens within 70 minutes. Next:"));
  EXPECT_THAT(NextText(Sample("etcd"), Step::kReissue, {}), Not(HasSubstr("Pods")));
}

TEST(NextText, ReportsAWorkerAsDoneAfterTheLastStep) {
  EXPECT_EQ(NextText(OnWorker(), Step::kDrop, {}), "This node is done.");
  EXPECT_THAT(NextText(OnWorker(), Step::kTrust, {}), HasSubstr("have not done step trust"));
}

TEST(ReportText, ShowsFilesNodesAndTheNextStep) {
  const std::string text = TextOf(Report{Sample(), {.kind = Kind::kStep, .step = Step::kReissue}});
  EXPECT_THAT(text, StartsWith("Node n1 (control plane), certificate authority of Kubernetes\n"));
  EXPECT_THAT(text, HasSubstr("/pki/ca.crt   old, new   old\n"));
  EXPECT_THAT(text, HasSubstr("/pki/ca.key   -          old\n"));
  EXPECT_THAT(text, HasSubstr("Next on this node: step reissue (everything is signed by the new "
                              "one); restarts: kube-apiserver, kube-controller-manager, "
                              "kube-scheduler, kubelet\n"));
  EXPECT_THAT(text, Not(HasSubstr("Not now")));
}

TEST(ReportText, ListsOnlyTheKubeletAsARestartOnAWorker) {
  EXPECT_THAT(TextOf(Report{OnWorker(), {.kind = Kind::kWait, .step = Step::kReissue}}),
              testing::AllOf(HasSubstr("restarts: kubelet\nNot now: step reissue has not begun")));
}

TEST(ReportText, ReportsThatTheRotationIsComplete) {
  EXPECT_THAT(TextOf(Report{Sample(), {.kind = Kind::kFinished}}),
              HasSubstr("kubeadm certs rotate-ca kubernetes --again\n"));
  EXPECT_THAT(TextOf(Report{Sample(), {.kind = Kind::kFinished, .behind = {"w1"}}}),
              HasSubstr("Run \"kubeadm certs rotate-ca kubernetes\" on each node that has not done "
                        "step drop: w1\n"));
}

TEST(ReportObject, HasAWordForEachDecision) {
  const std::pair<Kind, const char*> words[] = {
      {Kind::kBegin, "begin"}, {Kind::kStep, "step"},         {Kind::kNeedsPair, "needsPair"},
      {Kind::kWait, "wait"},   {Kind::kTooEarly, "tooEarly"}, {Kind::kFinished, "finished"},
      {Kind::kIdle, "idle"}};
  for (const auto& [kind, word] : words) {
    EXPECT_EQ(ObjectOf(Report{Sample(), {.kind = kind, .step = Step::kReissue}})["decision"], word);
  }
}

TEST(ReportObject, DistinguishesAPlanFromAResult) {
  Report report{Sample(), {.kind = Kind::kStep, .step = Step::kTrust}};
  json::Ordered object = ObjectOf(report);
  EXPECT_EQ(object["dryRun"], true);
  EXPECT_FALSE(object.contains("backup"));
  EXPECT_EQ(object["nodes"][0]["done"], "trust");
  EXPECT_EQ(object["nodes"][1]["done"], "");
  report.outcome = Outcome{.step = {.restarted = {"etcd"}, .backup = "/b"}, .certificate_key = "k"};
  object = ObjectOf(report);
  EXPECT_EQ(object["dryRun"], false);
  EXPECT_EQ(object["backup"], "/b");
  EXPECT_EQ(object["restarted"], json::Ordered({"etcd"}));
  EXPECT_EQ(object["certificateKey"], "k");
}

}  // namespace
}  // namespace ca_rotation
