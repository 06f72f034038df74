// SPDX-License-Identifier: Apache-2.0
#include "controller/judging.h"

#include <algorithm>
#include <exception>
#include <memory>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/utf8.h"
#include "controller/renewal_ca.h"
#include "controller/shadow.h"
#include "evidence/cluster_facts.h"
#include "evidence/live_lookups.h"
#include "evidence/settle.h"
#include "inventories/dns_host.h"

namespace controller {
namespace {

using judgement::Csr;
using judgement::Decision;
using judgement::Detail;
using judgement::Dialled;
using judgement::Verdict;
using requests::Gathered;
using requests::Pending;

constexpr std::size_t kSlowWorkers = 16;

// Calls the action when its scope ends, also after an exception.
template <typename Action>
class AtEnd {
 public:
  explicit AtEnd(Action action) : action_(std::move(action)) {}
  ~AtEnd() { action_(); }
  AtEnd(const AtEnd&) = delete;
  AtEnd& operator=(const AtEnd&) = delete;

 private:
  Action action_;
};

}  // namespace

Judging::Judging(const Settings& settings, Deps deps)
    : settings_(settings),
      clusters_(deps.clusters),
      clock_(deps.clock),
      agenda_(deps.agenda),
      reports_(deps.reports),
      policy_(settings.policy.InCheapestOrder()),
      live_(*clusters_.management, *clusters_.workload, settings.inventories,
            std::move(deps.confirm)),
      dials_([&clock = clock_] { return clock.Steady(); }),
      bindings_(*clusters_.workload, settings.leader.name_space),
      approvals_(settings, *clusters_.workload, bindings_, agenda_, reports_) {}

void Judging::Start(ThreadGroup& group) {
  for (std::size_t i = 0; i < std::max<std::size_t>(1, settings_.workers); ++i) {
    group.Add("judging", [this](const std::stop_token& ends) { Work(Pace::kQuick, ends); });
  }
  for (std::size_t i = 0; i < kSlowWorkers; ++i) {
    group.Add("judging slowly", [this](const std::stop_token& ends) { Work(Pace::kSlow, ends); });
  }
}

std::optional<Verdict> Judging::Preview(const std::string& name) const {
  auto gathered = agenda_.store().Collect(name);
  if (!gathered || gathered->pending->thin) {
    return std::nullopt;
  }
  const Pending& pending = *gathered->pending;
  if (pending.hopeless || !pending.request) {
    return pending.hopeless;
  }
  gathered->facts.in_flight =
      agenda_.in_flight().Others(requests::AskedIn(gathered->facts, pending.node), agenda_.Now());
  Verdict verdict = judgement::Judge(gathered->facts, policy_, Detail::kDecision);
  verdict.machine = nullptr;  // belongs to the facts
  return verdict.want == judgement::Want::kNothing ? std::optional(std::move(verdict))
                                                   : std::nullopt;
}

void Judging::Work(Pace pace, const std::stop_token& stop) {
  requests::WorkQueue& queue = pace == Pace::kQuick ? agenda_.quick() : agenda_.slow();
  while (const auto name = queue.Take(stop)) {
    const AtEnd done([&] { queue.Done(*name); });  // otherwise its requester would wait forever
    try {
      JudgeOne(*name, pace, stop);
      // an exception for one request must not affect the others
    } catch (const std::exception& error) {
      if (!stop.stop_requested()) {
        Failed(*name, base::Visible(error.what()));
      }
    }
  }
}

void Judging::JudgeOne(const std::string& name, Pace pace, const std::stop_token& stop) {
  auto gathered = agenda_.store().Collect(name);
  if (!gathered) {
    agenda_.quick().Drop(name);
    return;
  }
  if (const auto& hopeless = gathered->pending->hopeless) {
    LeavePending(gathered->pending->csr, *hopeless);
    agenda_.store().Forget(gathered->pending);  // its verdict cannot change
    return;
  }
  if (HoldsBack(gathered->pending->csr)) {
    // Retries later, because a request that stops counting because of its age causes no watch
    // event.
    agenda_.quick().AddLater(name);
    return;
  }
  if (gathered->pending->thin) {
    gathered = ReadAgain(name, stop);
  }
  if (!gathered) {
    agenda_.RemoveCsr(name);
    return;
  }
  if (const Pending& pending = *gathered->pending; pending.request) {
    gathered->facts.in_flight =
        agenda_.in_flight().Others(requests::AskedIn(gathered->facts, pending.node), agenda_.Now());
  }
  if (reports_.shadow != nullptr) {
    Shadow::HideNewNode(*gathered);
  }
  if (LookUpHost(*gathered, pace, stop)) {
    Act(*gathered, pace, stop);
  }
}

bool Judging::LookUpHost(Gathered& gathered, Pace pace, const std::stop_token& stop) {
  const Pending& pending = *gathered.pending;
  if (!settings_.inventories.dns || !pending.request) {
    return true;
  }
  if (pace == Pace::kQuick) {
    agenda_.slow().Add(pending.csr.name);
    return false;
  }
  if (auto entry = inventories::AddDnsHost(settings_.inventories, pending.node, gathered.facts,
                                           clock_, stop)) {
    gathered.machines.push_back(std::move(entry));
  }
  return true;
}

void Judging::Act(Gathered& gathered, Pace pace, const std::stop_token& stop) {
  const Csr& csr = gathered.pending->csr;
  const Verdict verdict = Decide(gathered, pace, stop);
  if (verdict.want != judgement::Want::kNothing) {
    agenda_.slow().Add(csr.name);
    return;
  }
  if (verdict.decision == Decision::kApprove) {
    if (Stands(gathered, verdict, stop)) {
      Approve(gathered, verdict, stop);
    }
    return;
  }
  if (stop.stop_requested()) {
    return;
  }
  LeavePending(csr, verdict);
  // Schedules another judgement. Changes of watched facts cause events, but other facts must be
  // queried again. Requests in flight also expire after an hour, and a newer request may be denied.
  if (verdict.decision == Decision::kRetry &&
      (pace == Pace::kSlow || !gathered.facts.in_flight.empty() || gathered.facts.newer)) {
    agenda_.quick().AddLater(csr.name);
  }
}

void Judging::Approve(const Gathered& gathered, const Verdict& verdict,
                      const std::stop_token& stop) {
  if (reports_.shadow == nullptr) {
    approvals_.Approve(gathered, verdict, stop);
    return;
  }
  reports_.metrics.CountDecision(DecisionText(verdict.decision), NameOf(verdict.reason));
  reports_.Audit(gathered.pending->csr, verdict, reports::Effect::kWouldApprove, agenda_.Now());
  reports_.shadow->Judged(gathered.pending->csr, verdict);
}

std::optional<Gathered> Judging::ReadAgain(const std::string& name, const std::stop_token& stop) {
  auto csr = kube::Found([&] {
    return clusters_.workload->Do({.resource = kube::resources::kCsr, .name = name}, stop);
  });
  if (csr && reports_.shadow != nullptr) {
    csr = WithoutDecision(*std::move(csr));
  }
  auto pending = csr ? requests::ReadPending(*csr, policy_.bootstrap_tokens) : std::nullopt;
  if (!pending || pending->hopeless) {
    return {};
  }
  return agenda_.store().CollectFor(std::make_shared<const Pending>(*std::move(pending)));
}

bool Judging::HoldsBack(const Csr& csr) {
  const requests::Limits limits = agenda_.LimitsNow();
  reports_.metrics.SetPending(limits.pending, limits.most);
  if (!limits.Exceeded()) {
    return false;
  }
  const Verdict held = limits.Held();
  Tell(csr, held);
  if (agenda_.HoldBack(csr.name)) {
    base::LogWarning("{}", held.message);
  }
  return true;
}

Verdict Judging::Decide(Gathered& gathered, Pace pace, const std::stop_token& stop) {
  const auto begin = clock_.Steady();
  Verdict verdict = pace == Pace::kSlow
                        ? LookUpAndDecide(gathered, stop)
                        : judgement::Judge(gathered.facts, policy_, Detail::kDecision);
  reports_.metrics.ObserveJudgement(clock_.Steady() - begin);
  return verdict;
}

Verdict Judging::LookUpAndDecide(Gathered& gathered, const std::stop_token& stop) {
  const auto dial = [&](const std::string& node) { return Dial(gathered, node, stop); };
  return evidence::Settle(
      gathered.facts, policy_, Detail::kDecision,
      evidence::LookupsIn(*clusters_.workload, clusters_.servers, bindings_, dial, stop));
}

Dialled Judging::Dial(const Gathered& gathered, const std::string& node,
                      const std::stop_token& stop) {
  if (!gathered.node) {
    return std::unexpected("there is no node " + node);
  }
  return dials_.Dial(node, [&]() -> Dialled {
    if (!RenewalCaCounts(settings_, *clusters_.management, stop)) {
      return std::unexpected(
          "no CA for renewal was named, and the Machines of the default CA are not served");
    }
    return evidence::KubeletDialer{
        .bundle = agenda_.store().Bundle(),
        .now = agenda_.Now(),
        .timeout = settings_.dial_timeout,
        .stop = stop,
        .rules = evidence::ReadDialRules(*clusters_.workload, clusters_.servers, stop)}
        .Dial(*gathered.node);
  });
}

bool Judging::Stands(Gathered& gathered, const Verdict& verdict, const std::stop_token& stop) {
  const Csr& csr = gathered.pending->csr;
  switch (live_.Check(gathered, verdict, stop)) {
    case Live::kSame:
      return true;
    case Live::kNodeExists:
      if (reports_.shadow != nullptr) {
        if (gathered.node) {
          return true;  // Shadow::HideNewNode
        }
        break;  // the watch will report the Node, and whether it is newer than the request
      }
      gathered.facts.node = judgement::NodeLookup::kPresent;
      LeavePending(csr, judgement::Judge(gathered.facts, policy_, Detail::kDecision));
      break;
    case Live::kChanged:
      break;
  }
  // judged again later, when the watch has also reported the change
  agenda_.quick().AddLater(csr.name);
  return false;
}

void Judging::Failed(const std::string& name, const std::string& why) {
  base::LogWarning("request {}: {}", name, why);
  if (const auto gathered = agenda_.store().Collect(name)) {
    LeavePending(gathered->pending->csr, {.decision = Decision::kRetry,
                                          .reason = judgement::Reason::kApprovalFailed,
                                          .message = why,
                                          .rules = {}});
  }
  agenda_.quick().AddLater(name);
}

void Judging::LeavePending(const Csr& csr, const Verdict& verdict) {
  base::LogInfo(2, "left {} pending: {}: {}", csr.name, NameOf(verdict.reason), verdict.message);
  Tell(csr, verdict);
}

void Judging::Tell(const Csr& csr, const Verdict& verdict) {
  reports_.metrics.CountDecision(DecisionText(verdict.decision), NameOf(verdict.reason));
  const bool shadow = reports_.shadow != nullptr;
  reports_.Audit(csr, verdict,
                 shadow ? reports::Effect::kWouldLeavePending : reports::Effect::kLeftPending,
                 agenda_.Now());
  if (!shadow) {
    reports_.events.Tell(csr, verdict, agenda_.Now());
  } else if (verdict.reason != judgement::Reason::kApprovalFailed) {  // an error, not a verdict
    reports_.shadow->Judged(csr, verdict);
  }
}

}  // namespace controller
