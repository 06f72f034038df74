// SPDX-License-Identifier: Apache-2.0
#include "ca_rotation/authority.h"

#include <fmt/core.h>

#include <algorithm>
#include <stdexcept>

#include "base/strings.h"
#include "certs/tree.h"
#include "json/rfc3339.h"

namespace ca_rotation {
namespace {

using Kind = Decision::Kind;

constexpr std::array<Authority, 4> kAuthorities = {{
    {.name = "etcd",
     .row = certs::kEtcdCa,
     .base_name = "etcd/ca",
     .long_name = "certificate authority of etcd"},
    {.name = "front-proxy",
     .row = certs::kFrontProxyCa,
     .base_name = "front-proxy-ca",
     .long_name = "certificate authority of the front proxy"},
    {.name = "kubernetes",
     .row = certs::kCa,
     .base_name = "ca",
     .long_name = "certificate authority of Kubernetes",
     .on_workers = true},
    {.name = "sa",
     .row = certs::kServiceAccount,
     .base_name = "sa",
     .long_name = "key of service account tokens"},
}};

constexpr std::array<std::string_view, 3> kStepNames = {"trust", "reissue", "drop"};

bool HasDone(const Holder& holder, std::string_view pin, Step step) {
  if (step == Step::kReissue) {
    return !holder.signer || *holder.signer == pin;
  }
  if (!holder.trusts) {
    return true;
  }
  const std::vector<std::string>& trusts = *holder.trusts;
  const bool trusted = std::ranges::find(trusts, pin) != trusts.end();
  return trusted && (step == Step::kTrust || trusts.size() == 1);
}

// Returns the step after `done`; std::nullopt after the last one.
std::optional<Step> NextOf(std::optional<Step> done) {
  if (!done) {
    return Step::kTrust;
  }
  switch (*done) {
    case Step::kTrust:
      return Step::kReissue;
    case Step::kReissue:
      return Step::kDrop;
    case Step::kDrop:
      break;
  }
  return std::nullopt;
}

const NodeState* SelfIn(const Situation& situation) {
  const auto self = std::ranges::find(situation.nodes, situation.node, &NodeState::name);
  return self == situation.nodes.end() ? nullptr : &*self;
}

// Returns the last step that is complete on this node. A step is complete if both the files and the
// Node's mark show it. The mark is set after the restarts. If the old files are restored, the step
// counts as incomplete, whatever the mark says.
std::optional<Step> DoneHere(const Situation& situation, std::string_view pin) {
  const NodeState* self = SelfIn(situation);
  const std::optional<Step> marked = self == nullptr ? std::nullopt : self->done;
  const std::optional<Step> by_files = StepDoneBy(situation.holders, pin);
  return marked && by_files ? std::optional(std::min(*marked, *by_files)) : std::nullopt;
}

// Returns whether the node joined after the drop step had begun. Such a node never trusts the old
// authority.
bool CameLater(const NodeState& node, const Situation& situation) {
  return std::ranges::any_of(situation.nodes, [&](const NodeState& other) {
    return other.control_plane && other.done == Step::kDrop && node.created > other.at;
  });
}

bool IsBehind(const NodeState& node, Step step) {
  return !node.left_behind && (!node.done || *node.done < step);
}

std::vector<std::string> Behind(const Situation& situation, Step step) {
  std::vector<std::string> names;
  for (const NodeState& node : situation.nodes) {
    if (node.name != situation.node && IsBehind(node, step) && !CameLater(node, situation)) {
      names.push_back(node.name);
    }
  }
  return names;
}

std::optional<std::chrono::sys_seconds> TooEarlyUntil(const Situation& situation, Step step) {
  if (situation.authority->row != certs::kServiceAccount || step != Step::kDrop ||
      situation.early) {
    return std::nullopt;
  }
  std::chrono::sys_seconds last{};
  for (const NodeState& node : situation.nodes) {
    // Nodes past the drop step have already waited for the tokens to expire.
    const bool counts = node.done == Step::kReissue && !node.left_behind;
    last = std::max(last, counts ? node.at : std::chrono::sys_seconds{});
  }
  const std::chrono::sys_seconds until = last + kTokenPatience;
  return situation.now < until ? std::optional(until) : std::nullopt;
}

Decision DecideOnWorker(const Situation& situation) {
  if (!situation.record) {
    return {.kind = Kind::kIdle};
  }
  const auto next = NextOf(DoneHere(situation, situation.record->pin));
  if (!next) {
    return {.kind = Kind::kFinished};
  }
  if (*next > situation.record->step) {
    return {.kind = Kind::kWait, .step = *next};
  }
  return {.kind = Kind::kStep, .step = *next};
}

Decision DecideInRotation(const Situation& situation, const RotationRecord& record) {
  const auto next = NextOf(DoneHere(situation, record.pin));
  if (!next) {
    return {.kind = Kind::kFinished, .behind = Behind(situation, Step::kDrop)};
  }
  if (situation.new_pin != record.pin && situation.live_pin != record.pin) {
    return {.kind = Kind::kNeedsPair, .step = *next};
  }
  if (*next != Step::kTrust) {
    if (std::vector<std::string> behind = Behind(situation, PreviousOf(*next)); !behind.empty()) {
      return {.kind = Kind::kWait, .step = *next, .behind = std::move(behind)};
    }
    if (const auto until = TooEarlyUntil(situation, *next)) {
      return {.kind = Kind::kTooEarly, .step = *next, .until = *until};
    }
  }
  return {.kind = Kind::kStep, .step = *next};
}

}  // namespace

std::span<const Authority> Authorities() { return kAuthorities; }

Step PreviousOf(Step step) {
  switch (step) {
    case Step::kReissue:
      return Step::kTrust;
    case Step::kDrop:
      return Step::kReissue;
    case Step::kTrust:
      break;
  }
  throw std::logic_error("no step precedes the first one");
}

std::string_view NameOf(Step step) { return kStepNames.at(static_cast<std::size_t>(step)); }

std::optional<Step> ParseStep(std::string_view name) {
  const auto found = std::ranges::find(kStepNames, name);
  return found == kStepNames.end() ? std::nullopt
                                   : std::optional(kSteps.at(found - kStepNames.begin()));
}

std::optional<Step> StepDoneBy(std::span<const Holder> holders, std::string_view new_pin) {
  std::optional<Step> done;
  for (const Step step : kSteps) {
    if (!std::ranges::all_of(
            holders, [&](const Holder& holder) { return HasDone(holder, new_pin, step); })) {
      break;
    }
    done = step;
  }
  return done;
}

Decision Decide(const Situation& situation) {
  if (!situation.control_plane) {
    return DecideOnWorker(situation);
  }
  if (!situation.record) {
    return {.kind = Kind::kBegin};
  }
  Decision decision = DecideInRotation(situation, *situation.record);
  // If a rotation is complete, a prepared pair on this node begins the next one.
  const bool more =
      situation.again || (situation.new_pin && *situation.new_pin != situation.record->pin);
  if (decision.kind == Kind::kFinished && decision.behind.empty() && more) {
    return {.kind = Kind::kBegin};
  }
  return decision;
}

StepState StateOf(const Decision& decision, Step step) {
  switch (decision.kind) {
    case Kind::kFinished:
      return StepState::kDone;
    case Kind::kIdle:
      return StepState::kNext;  // the next step if a rotation begins
    case Kind::kBegin:
      return step == Step::kTrust ? StepState::kNext : StepState::kLater;
    case Kind::kStep:
    case Kind::kNeedsPair:
    case Kind::kWait:
    case Kind::kTooEarly:
      break;
  }
  if (step == decision.step) {
    return StepState::kNext;
  }
  return step < decision.step ? StepState::kDone : StepState::kLater;
}

std::vector<std::string> NodesBehind(const Situation& situation, Step step) {
  std::vector<std::string> names;
  for (const NodeState& node : situation.nodes) {
    if (IsBehind(node, step)) {
      names.push_back(node.name);
    }
  }
  return names;
}

std::string TextOf(const Mark& mark) {
  return fmt::format("{} {} {}", NameOf(mark.step), mark.pin, json::FormatRfc3339(mark.at));
}

std::optional<Mark> ParseMark(std::string_view text) {
  const std::vector<std::string> words = base::Fields(text);
  if (words.size() != 3) {
    return std::nullopt;
  }
  const auto step = ParseStep(words[0]);
  const auto at = json::ParseRfc3339(words[2]);
  return step && at ? std::optional(Mark{.step = *step, .pin = words[1], .at = *at}) : std::nullopt;
}

}  // namespace ca_rotation
