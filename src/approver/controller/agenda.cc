// SPDX-License-Identifier: Apache-2.0
#include "controller/agenda.h"

#include <chrono>
#include <utility>

namespace controller {

using requests::Store;

Agenda::Agenda(Options options, const host::Clock& clock)
    : options_(options),
      clock_(clock),
      quick_(clock,
             {.requester_of = [this](const auto& name) { return store_.RequesterOf(name); }}),
      slow_(clock, {.requester_of = [this](const auto& name) { return store_.RequesterOf(name); },
                    .at_once = 1}) {
  if (options_.nodes_attest) {
    store_.SetNodesAttest();
  }
}

void Agenda::PutCsr(const json::Value& csr) {
  const auto node = in_flight_.Put(csr, options_.bootstrap_tokens);
  Store::Names names = store_.PutCsr(csr, options_.bootstrap_tokens);
  if (node) {
    names.merge(store_.PendingOf(*node));
  }
  Requeue(std::move(names));
}

void Agenda::RemoveCsr(const std::string& name) {
  store_.RemoveCsr(name);
  quick_.Drop(name);
  {
    const std::lock_guard lock(mutex_);
    held_.erase(name);
  }
  const auto node = in_flight_.Remove(name);
  Requeue(node ? store_.PendingOf(*node) : Store::Names());
}

void Agenda::PutPending(const json::Value& csr) {
  Requeue(store_.PutCsr(csr, options_.bootstrap_tokens));
}

void Agenda::DropPending(const std::string& name) {
  store_.RemoveCsr(name);
  quick_.Drop(name);
  const std::lock_guard lock(mutex_);
  held_.erase(name);
}

void Agenda::PutNode(const json::Value& node) { Requeue(store_.PutNode(node)); }

void Agenda::RemoveNode(const std::string& name) { Requeue(store_.RemoveNode(name)); }

void Agenda::SetBundle(std::string_view pem) { Requeue(store_.SetBundle(pem)); }

void Agenda::Put(const judgement::MachineKey& key, judgement::Machine machine) {
  Requeue(store_.PutMachine(key, std::move(machine)));
}

void Agenda::Remove(const judgement::MachineKey& key) { Requeue(store_.RemoveMachine(key)); }

void Agenda::SetProblem(int rank, const std::string& key,
                        const std::optional<std::string>& problem) {
  Requeue(store_.SetMachinesProblem(rank, key, problem));
}

void Agenda::Begin() {
  begun_ = true;  // before the known state is read: no event in between is lost
  Requeue(store_.Kept());
}

void Agenda::Requeue(Store::Names names) {
  if (!begun_) {
    return;
  }
  if (!LimitsNow().Exceeded()) {
    const std::lock_guard lock(mutex_);
    names.merge(held_);
    held_.clear();
  }
  for (const std::string& name : names) {
    quick_.Add(name);
  }
}

void Agenda::GiveUp(const std::string& name) {
  const auto node = in_flight_.Unclaim(name);
  for (const std::string& other : node ? store_.PendingOf(*node) : Store::Names()) {
    if (other != name) {
      // A pause is needed: otherwise two failing requests would requeue each other in a tight loop.
      quick_.AddLater(other);
    }
  }
}

bool Agenda::HoldBack(const std::string& name) {
  const std::lock_guard lock(mutex_);
  const bool first = held_.empty();
  held_.insert(name);
  return first;
}

requests::Limits Agenda::LimitsNow() const { return store_.LimitsAt(Now()); }

std::chrono::duration<double> Agenda::SinceCreation(const judgement::Csr& csr) const {
  return std::chrono::duration<double>(clock_.Now().time_since_epoch()) -
         csr.created.time_since_epoch();  // kNoTime is out of range for nanoseconds
}

std::chrono::sys_seconds Agenda::Now() const { return clock_.NowSeconds(); }

}  // namespace controller
