// SPDX-License-Identifier: Apache-2.0
#include "controller/approvals.h"

#include <algorithm>
#include <chrono>
#include <exception>
#include <optional>
#include <string>

#include "base/error.h"
#include "base/log.h"
#include "controller/approval.h"
#include "evidence/decode.h"
#include "inventories/used_entries.h"
#include "judgement/machines.h"
#include "judgement/node_rules.h"

namespace controller {

using base::Error;
using judgement::Csr;
using judgement::Machine;
using judgement::Verdict;
using requests::Gathered;

namespace {

// Returns whether the API server certainly refused the approval. If the answer was lost, the
// approval may exist. On kConflict, an earlier attempt of ours may have succeeded.
bool IsRefusal(const Error& error) {
  switch (error.kind()) {
    case Error::Kind::kInvalid:
    case Error::Kind::kNotFound:
    case Error::Kind::kForbidden:
    case Error::Kind::kUnauthorized:
      return true;
    default:
      return false;
  }
}

bool IsApproved(const json::Value& object) {
  const Csr csr = evidence::DecodeCsr(object).csr;
  return std::ranges::contains(csr.conditions, "Approved", &judgement::Condition::type);
}

}  // namespace

void Reports::Audit(const Csr& csr, const Verdict& verdict, reports::Effect effect,
                    std::chrono::sys_seconds now) const {
  if (audit != nullptr) {
    audit->Record(csr, verdict, effect, now);
  }
}

Approvals::Approvals(const Settings& settings, kube::Transport& workload,
                     evidence::NodeBindings& bindings, Agenda& agenda, Reports reports)
    : settings_(settings),
      workload_(workload),
      bindings_(bindings),
      agenda_(agenda),
      reports_(reports) {}

void Approvals::Approve(const Gathered& gathered, const Verdict& verdict,
                        const std::stop_token& stop) {
  const requests::Pending& pending = *gathered.pending;
  const std::string& name = pending.csr.name;
  if (!agenda_.in_flight().Claim(requests::AskedIn(gathered.facts, pending.node),
                                 gathered.facts.in_flight, agenda_.Now())) {
    agenda_.quick().Add(name);  // judged again, with the concurrent approvals
    return;
  }
  try {
    if (!Make(gathered, verdict, stop)) {
      agenda_.GiveUp(name);
    }
  } catch (...) {
    agenda_.GiveUp(name);
    throw;
  }
}

bool Approvals::Make(const Gathered& gathered, const Verdict& verdict,
                     const std::stop_token& stop) {
  const Csr& csr = gathered.pending->csr;
  const Machine* machine = verdict.machine;
  if (stop.stop_requested()) {
    return false;  // the next leader will judge it
  }
  if (machine != nullptr && machine->is_node && !BindAddresses(gathered, stop)) {
    agenda_.quick().AddLater(csr.name);
    return false;
  }
  if (machine != nullptr && machine->source == judgement::Source::kIdentity &&
      settings_.inventories.nodes && !csr.identity_addresses.empty()) {
    bindings_.Reserve(machine->name, csr.identity_addresses, stop);
  }
  const bool uses_up =
      verdict.reason == judgement::Reason::kClientOk && machine != nullptr && machine->one_time;
  if (uses_up &&
      !UseUp(*machine, judgement::UseIdOf(*machine, csr, *gathered.pending->request), stop)) {
    agenda_.quick().Add(csr.name);  // judged again, now that the entry's user is known
    return false;
  }
  if (!Write(*gathered.pending, stop)) {
    return false;
  }
  reports_.metrics.CountDecision(DecisionText(verdict.decision), NameOf(verdict.reason));
  reports_.Audit(csr, verdict, reports::Effect::kApproved, agenda_.Now());
  base::LogInfo(0, "approved {} for {}: {}", csr.name, gathered.pending->node,
                NameOf(verdict.reason));
  Done(csr);
  return true;
}

bool Approvals::BindAddresses(const Gathered& gathered, const std::stop_token& stop) {
  const pki::Request& request = *gathered.pending->request;
  const judgement::NodeBinding& judged = **gathered.facts.binding;
  return (judgement::UnboundOf(request, judged).empty() && !judged.reserved) ||
         bindings_.Bind(NodeOf(gathered.pending->csr, request), request.names.ips, judged, stop);
}

bool Approvals::UseUp(const Machine& entry, const std::string& user, const std::stop_token& stop) {
  const std::string used_by =
      inventories::RecordUse(workload_, settings_.leader.name_space, entry, user, stop);
  agenda_.store().MarkUsed(judgement::KeyOf(entry), used_by);
  return used_by == user;
}

// The object that was judged is written. Its resourceVersion makes the API server refuse the
// approval if the request has changed since.
bool Approvals::Write(const requests::Pending& pending, const std::stop_token& stop) {
  const Csr& csr = pending.csr;
  const kube::Call call = ApprovalCall(json::Parse(pending.object), agenda_.Now());
  try {
    workload_.Do(call, stop);
  } catch (const Error& error) {
    reports_.metrics.CountRequest("approval", false);
    if (error.kind() == Error::Kind::kConflict) {
      Changed(csr, stop);
      return false;
    }
    if (!IsRefusal(error)) {
      agenda_.in_flight().Doubt(csr.name);
    }
    if (error.kind() != Error::Kind::kNotFound) {
      throw;
    }
    NotThere(csr);
    return false;
  } catch (...) {
    reports_.metrics.CountRequest("approval", false);
    agenda_.in_flight().Doubt(csr.name);
    throw;
  }
  reports_.metrics.CountRequest("approval", true);
  return true;
}

void Approvals::Changed(const Csr& csr, const std::stop_token& stop) {
  NotThere(csr);
  try {
    const auto object = kube::Found(
        [&] { return workload_.Do({.resource = kube::resources::kCsr, .name = csr.name}, stop); });
    if (!object || json::TextAt(*object, {"metadata", "uid"}) != csr.uid || !IsApproved(*object)) {
      return;
    }
  } catch (const Error& error) {
    base::LogInfo(1, "request {} cannot be read: {}", csr.name, error.message());
  }
  agenda_.in_flight().Doubt(csr.name);
}

void Approvals::NotThere(const Csr& csr) {
  base::LogInfo(1, "the judged version of {} no longer exists and cannot be approved", csr.name);
  agenda_.quick().AddLater(csr.name);  // in case the watch does not report the change
}

void Approvals::Done(const Csr& csr) {
  reports_.metrics.ObserveApproval(agenda_.SinceCreation(csr));
  reports_.events.Forget(csr.uid);
  agenda_.quick().Forget(csr.name);
  agenda_.store().RemoveCsr(csr.name);
  agenda_.Requeue({});
}

}  // namespace controller
