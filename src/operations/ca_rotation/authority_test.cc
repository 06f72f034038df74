// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/authority.h"

#include <gmock/gmock.h>

#include <map>

#include "ca_rotation/fake_authority.h"

namespace ca_rotation {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using Kind = Decision::Kind;
using Trusts = std::vector<std::string>;

constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1'767'225'600)};

// The files of a node at the end of each step.
const std::vector<Holder> kUntouched = {
    {.name = "ca.crt", .trusts = Trusts{"old"}, .signer = "old"},
    {.name = "ca.key", .trusts = {}, .signer = "old"},
    {.name = "apiserver.crt", .trusts = {}, .signer = "old"},
    {.name = "admin.conf", .trusts = Trusts{"old"}, .signer = "old"}};
const std::vector<Holder> kTrusting = {
    {.name = "ca.crt", .trusts = Trusts{"old", "new"}, .signer = "old"},
    {.name = "ca.key", .trusts = {}, .signer = "old"},
    {.name = "apiserver.crt", .trusts = {}, .signer = "old"},
    {.name = "admin.conf", .trusts = Trusts{"old", "new"}, .signer = "old"}};
const std::vector<Holder> kReissued = {
    {.name = "ca.crt", .trusts = Trusts{"new", "old"}, .signer = "new"},
    {.name = "ca.key", .trusts = {}, .signer = "new"},
    {.name = "apiserver.crt", .trusts = {}, .signer = "new"},
    {.name = "admin.conf", .trusts = Trusts{"new", "old"}, .signer = "new"}};
const std::vector<Holder> kDropped = {
    {.name = "ca.crt", .trusts = Trusts{"new"}, .signer = "new"},
    {.name = "ca.key", .trusts = {}, .signer = "new"},
    {.name = "apiserver.crt", .trusts = {}, .signer = "new"},
    {.name = "admin.conf", .trusts = Trusts{"new"}, .signer = "new"}};

TEST(StepDoneBy, IsTheLastStepThatAllFilesShow) {
  EXPECT_EQ(StepDoneBy(kUntouched, "new"), std::nullopt);
  EXPECT_EQ(StepDoneBy(kTrusting, "new"), Step::kTrust);
  EXPECT_EQ(StepDoneBy(kReissued, "new"), Step::kReissue);
  EXPECT_EQ(StepDoneBy(kDropped, "new"), Step::kDrop);
}

TEST(StepDoneBy, IsTheEarliestStepOfAnyFile) {
  for (std::size_t i = 0; i < kUntouched.size(); ++i) {
    std::vector<Holder> holders = kReissued;
    holders[i] = kTrusting[i];
    EXPECT_EQ(StepDoneBy(holders, "new"), Step::kTrust) << holders[i].name;
  }
  std::vector<Holder> holders = kDropped;
  holders[3] = kReissued[3];
  EXPECT_EQ(StepDoneBy(holders, "new"), Step::kReissue);
}

TEST(StepDoneBy, IgnoresFilesOfOtherAuthorities) {
  std::vector<Holder> holders = kReissued;
  holders.push_back({.name = "front.crt", .trusts = {}, .signer = {}});
  EXPECT_EQ(StepDoneBy(holders, "new"), Step::kReissue);
}

NodeState Node(const std::string& name, std::optional<Step> done, bool control_plane = true) {
  return {.name = name, .control_plane = control_plane, .done = done, .at = kNow};
}

struct Case {
  std::string name;
  Situation situation;
  Decision want;
};

// Returns the facts of a control-plane node "cp" in a cluster with a worker "w".
Situation ControlPlane(const std::vector<Holder>& holders, std::optional<Step> self,
                       std::optional<Step> worker) {
  return {.authority = &Named("kubernetes"),
          .node = "cp",
          .live_pin = holders.front().trusts->front(),
          .new_pin = "new",
          .record = RotationRecord{.pin = "new", .pem = {}},
          .holders = holders,
          .nodes = {Node("cp", self), Node("w", worker, false)},
          .now = kNow};
}

Situation With(Situation situation, const std::function<void(Situation&)>& change) {
  change(situation);
  return situation;
}

TEST(Decide, DecidesOnAControlPlaneNode) {
  const auto forget = [](Situation& situation) { situation.record.reset(); };
  const auto lack = [](Situation& situation) { situation.new_pin.reset(); };
  const auto over = [](Situation& situation) {
    situation.new_pin.reset();
    situation.again = true;
  };
  const auto leave = [](Situation& situation) { situation.nodes[1].left_behind = true; };
  const auto next_pair = [](Situation& situation) { situation.new_pin = "newer"; };
  const std::vector<Case> cases = {
      {"nothing has begun", With(ControlPlane(kUntouched, {}, {}), forget), {.kind = Kind::kBegin}},
      {"claimed, nothing written",
       ControlPlane(kUntouched, {}, {}),
       {.kind = Kind::kStep, .step = Step::kTrust}},
      {"begun elsewhere, the pair is not here",
       With(ControlPlane(kUntouched, {}, {}), lack),
       {.kind = Kind::kNeedsPair, .step = Step::kTrust}},
      {"written, but killed before the mark",
       ControlPlane(kTrusting, {}, {}),
       {.kind = Kind::kStep, .step = Step::kTrust}},
      {"the worker is behind",
       ControlPlane(kTrusting, Step::kTrust, {}),
       {.kind = Kind::kWait, .step = Step::kReissue, .behind = {"w"}}},
      {"the worker is behind, and left there",
       With(ControlPlane(kTrusting, Step::kTrust, {}), leave),
       {.kind = Kind::kStep, .step = Step::kReissue}},
      {"done here, and the worker is left behind",
       With(ControlPlane(kDropped, Step::kDrop, {}), leave),
       {.kind = Kind::kFinished}},
      {"all trust",
       ControlPlane(kTrusting, Step::kTrust, Step::kTrust),
       {.kind = Kind::kStep, .step = Step::kReissue}},
      {"killed while certificates were reissued",
       ControlPlane(kReissued, Step::kTrust, Step::kTrust),
       {.kind = Kind::kStep, .step = Step::kReissue}},
      {"old files were restored",
       ControlPlane(kTrusting, Step::kReissue, Step::kReissue),
       {.kind = Kind::kStep, .step = Step::kReissue}},
      {"the worker has the old certificate",
       ControlPlane(kReissued, Step::kReissue, Step::kTrust),
       {.kind = Kind::kWait, .step = Step::kDrop, .behind = {"w"}}},
      {"nothing needs the old one",
       ControlPlane(kReissued, Step::kReissue, Step::kReissue),
       {.kind = Kind::kStep, .step = Step::kDrop}},
      {"done here",
       ControlPlane(kDropped, Step::kDrop, Step::kReissue),
       {.kind = Kind::kFinished, .behind = {"w"}}},
      {"complete", ControlPlane(kDropped, Step::kDrop, Step::kDrop), {.kind = Kind::kFinished}},
      {"once more",
       With(ControlPlane(kDropped, Step::kDrop, Step::kDrop), over),
       {.kind = Kind::kBegin}},
      {"once more, killed before the claim",
       With(ControlPlane(kDropped, Step::kDrop, Step::kDrop), next_pair),
       {.kind = Kind::kBegin}},
      {"a worker that came later",
       With(ControlPlane(kDropped, Step::kDrop, {}),
            [](Situation& situation) {
              situation.nodes[1].created = kNow + std::chrono::seconds(1);
            }),
       {.kind = Kind::kFinished}},
      {"a worker that came while both were trusted",
       With(ControlPlane(kDropped, Step::kDrop, {}),
            [](Situation& situation) { situation.nodes[1].created = kNow; }),
       {.kind = Kind::kFinished, .behind = {"w"}}},
      {"not once more while a node is behind",
       With(ControlPlane(kDropped, Step::kDrop, Step::kReissue), over),
       {.kind = Kind::kFinished, .behind = {"w"}}},
  };
  for (const Case& c : cases) {
    const Decision got = Decide(c.situation);
    EXPECT_EQ(got, c.want) << c.name << ": " << static_cast<int>(got.kind) << " "
                           << NameOf(got.step);
  }
}

Situation Worker(const std::vector<Holder>& holders, std::optional<Step> self, Step begun) {
  return {.authority = &Named("kubernetes"),
          .node = "w",
          .control_plane = false,
          .live_pin = holders.front().trusts->front(),
          .new_pin = {},
          .record = RotationRecord{.pin = "new", .pem = {}, .step = begun},
          .holders = holders,
          .nodes = {Node("w", self, false)},
          .now = kNow};
}

TEST(Decide, FollowsTheControlPlaneOnAWorker) {
  const auto forget = [](Situation& situation) { situation.record.reset(); };
  const std::vector<Case> cases = {
      {"nothing has begun",
       With(Worker(kUntouched, {}, Step::kTrust), forget),
       {.kind = Kind::kIdle}},
      {"the first step",
       Worker(kUntouched, {}, Step::kTrust),
       {.kind = Kind::kStep, .step = Step::kTrust}},
      {"the second has not begun",
       Worker(kTrusting, Step::kTrust, Step::kTrust),
       {.kind = Kind::kWait, .step = Step::kReissue}},
      {"the second has begun",
       Worker(kTrusting, Step::kTrust, Step::kReissue),
       {.kind = Kind::kStep, .step = Step::kReissue}},
      {"one after the other, however far the others are",
       Worker(kUntouched, {}, Step::kDrop),
       {.kind = Kind::kStep, .step = Step::kTrust}},
      {"done", Worker(kDropped, Step::kDrop, Step::kDrop), {.kind = Kind::kFinished}},
  };
  for (const Case& c : cases) {
    EXPECT_EQ(Decide(c.situation), c.want) << c.name;
  }
}

TEST(Decide, WaitsForTokensBeforeTheirOldKeyIsDropped) {
  Situation situation = ControlPlane(kReissued, Step::kReissue, Step::kReissue);
  situation.authority = &Named("sa");
  situation.nodes = {Node("cp", Step::kReissue), Node("cp2", Step::kReissue)};
  situation.nodes[1].at = kNow - std::chrono::minutes(10);
  EXPECT_EQ(Decide(situation), (Decision{.kind = Kind::kTooEarly,
                                         .step = Step::kDrop,
                                         .behind = {},
                                         .until = kNow + kTokenPatience}));
  situation.early = true;
  EXPECT_EQ(Decide(situation).kind, Kind::kStep);
  situation.early = false;
  situation.now = kNow + kTokenPatience;
  EXPECT_EQ(Decide(situation).kind, Kind::kStep);
}

TEST(StateOf, ShowsEachStepAsDoneNextOrLater) {
  struct Case {
    Decision decision;
    StepState trust;
    StepState reissue;
    StepState drop;
  };
  using enum StepState;
  const Case cases[] = {
      {{.kind = Kind::kBegin}, kNext, kLater, kLater},
      {{.kind = Kind::kNeedsPair, .step = Step::kTrust}, kNext, kLater, kLater},
      {{.kind = Kind::kStep, .step = Step::kReissue}, kDone, kNext, kLater},
      {{.kind = Kind::kWait, .step = Step::kReissue}, kDone, kNext, kLater},
      {{.kind = Kind::kTooEarly, .step = Step::kDrop}, kDone, kDone, kNext},
      {{.kind = Kind::kFinished}, kDone, kDone, kDone},
      {{.kind = Kind::kIdle}, kNext, kNext, kNext},
  };
  for (const Case& row : cases) {
    EXPECT_EQ(StateOf(row.decision, Step::kTrust), row.trust);
    EXPECT_EQ(StateOf(row.decision, Step::kReissue), row.reissue);
    EXPECT_EQ(StateOf(row.decision, Step::kDrop), row.drop);
  }
}

TEST(Mark, RoundTrips) {
  const Mark mark{.step = Step::kReissue, .pin = "sha256:abc", .at = kNow};
  EXPECT_EQ(TextOf(mark), "reissue sha256:abc 2026-01-01T00:00:00Z");
  EXPECT_EQ(ParseMark(TextOf(mark)), mark);
  for (const char* text : {"", "reissue", "renew sha256:abc 2026-01-01T00:00:00Z",
                           "reissue sha256:abc yesterday", "reissue a b c"}) {
    EXPECT_EQ(ParseMark(text), std::nullopt) << text;
  }
}

}  // namespace
}  // namespace ca_rotation
