// SPDX-License-Identifier: Apache-2.0
#include "controller/shadow.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/log.h"
#include "base/utf8.h"
#include "evidence/decode.h"
#include "requests/store.h"

namespace controller {
namespace {

using judgement::Condition;
using judgement::Csr;
using judgement::Verdict;
using reports::Comparison;
using reports::Outcome;

// A decision, and its time.
struct Decided {
  Outcome outcome;
  judgement::Time at;
};

// Returns the decision on a request; std::nullopt while the request is pending. If a request was
// approved and then denied, the denial is the decision, as for the signer.
std::optional<Decided> DecisionOn(const Csr& csr) {
  for (const auto& [type, outcome] :
       {std::pair<std::string_view, Outcome>{"Denied", Outcome::kDenied},
        {"Approved", Outcome::kApproved}}) {
    const auto found = std::ranges::find(csr.conditions, type, &Condition::type);
    if (found != csr.conditions.end()) {
      return Decided{.outcome = outcome, .at = found->last_transition};
    }
  }
  return {};
}

}  // namespace

json::Value WithoutDecision(json::Value csr) {
  csr.erase("status");
  return csr;
}

void Shadow::PutCsr(const json::Value& csr) {
  agenda_.PutCsr(csr);
  const Csr decoded = evidence::DecodeCsr(csr).csr;
  const auto decided = requests::IsOurs(decoded, tokens_) ? DecisionOn(decoded) : std::nullopt;
  if (!decided) {
    return;
  }
  const bool recent = agenda_.Now() - decided->at <= kLatest;
  const auto answer =
      book_.PutOutcome({.name = decoded.name, .uid = decoded.uid},
                       {.outcome = decided->outcome, .at = decided->at, .may_judge = recent});
  if (answer.comparison) {
    Report(decoded.name, *answer.comparison);
  }
  if (answer.judge) {
    agenda_.PutPending(WithoutDecision(csr));
  }
}

void Shadow::RemoveCsr(const std::string& name) {
  agenda_.RemoveCsr(name);
  if (const auto comparison = book_.Remove(name)) {
    Report(name, *comparison);
  }
}

void Shadow::Judged(const Csr& csr, const Verdict& verdict) {
  const bool approves = verdict.decision == judgement::Decision::kApprove;
  const auto answer = book_.PutVerdict({.name = csr.name, .uid = csr.uid},
                                       {.would_approve = approves,
                                        .reason = verdict.reason,
                                        .final = verdict.decision == judgement::Decision::kIgnore},
                                       agenda_.Now());
  if (answer.changed && approves) {
    base::LogInfo(0, "shadow: would approve {} of {}: {}", csr.name, base::Visible(csr.username),
                  NameOf(verdict.reason));
  } else if (answer.changed) {
    base::LogInfo(0, "shadow: would leave {} pending: {}: {}", csr.name, NameOf(verdict.reason),
                  verdict.message);
  }
  if (answer.comparison) {
    Report(csr.name, *answer.comparison);
  }
  if (answer.over) {
    agenda_.DropPending(csr.name);
  } else if (answer.judge) {
    agenda_.quick().AddLater(csr.name);
  }
}

void Shadow::HideNewNode(requests::Gathered& gathered) {
  if (gathered.node && gathered.node->created > gathered.pending->csr.created) {
    gathered.facts.node = judgement::NodeLookup::kAbsent;
  }
}

void Shadow::Report(const std::string& name, const Comparison& comparison) {
  metrics_.CountComparison(comparison);
  base::LogInfo(0, "shadow: {}: {} was {}, would be {}: {}",
                comparison.Agrees() ? "agree" : "disagree", name, NameOf(comparison.outcome),
                comparison.would_approve ? "approved" : "left pending", NameOf(comparison.reason));
}

}  // namespace controller
