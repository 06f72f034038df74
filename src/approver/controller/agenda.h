// SPDX-License-Identifier: Apache-2.0
// The state of the cluster that the watches report, and the queues of requests that must be judged
// after its changes.
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "host/clock.h"
#include "inventories/sink.h"
#include "json/value.h"
#include "requests/in_flight.h"
#include "requests/store.h"
#include "requests/work_queue.h"

namespace controller {

// Receives reports of the watches and inventories, and queues the affected requests. Thread-safe.
class Agenda : public inventories::Sink {
 public:
  struct Options {
    // Also judges client requests of bootstrap tokens and of identities (requests::IsOurs).
    bool bootstrap_tokens = false;
    // The inventory `nodes` is selected: a Node attests its own serving certificates.
    bool nodes_attest = false;
  };
  Agenda(Options options, const host::Clock& clock);

  void PutCsr(const json::Value& csr);
  void RemoveCsr(const std::string& name);
  // PutPending stores and queues a request as PutCsr does, and DropPending removes a request as
  // RemoveCsr does. Neither changes the certificates in flight. PutPending ignores a decided
  // request, so the caller must remove the decision first (WithoutDecision).
  void PutPending(const json::Value& csr);
  void DropPending(const std::string& name);
  void PutNode(const json::Value& node);
  void RemoveNode(const std::string& name);
  void SetBundle(std::string_view pem);

  void Put(const judgement::MachineKey& key, judgement::Machine machine) override;
  void Remove(const judgement::MachineKey& key) override;
  void SetProblem(int rank, const std::string& key,
                  const std::optional<std::string>& problem) override;

  // Queues all known requests. Before this call nothing is queued, because no worker empties the
  // queue while another process is the leader.
  void Begin();
  // Queues the requests, and also all held-back requests unless too many requests are pending. Does
  // nothing before Begin.
  void Requeue(requests::Store::Names names);
  // Releases the in-flight claim of a request that was not approved, and queues the node's other
  // requests after a pause. Does neither if the result of the approval is unknown
  // (InFlight::Doubt). The caller queues the request itself.
  void GiveUp(const std::string& name);
  // Holds a request back until fewer requests are pending. Returns whether no request was held back
  // before.
  bool HoldBack(const std::string& name);

  requests::Limits LimitsNow() const;
  std::chrono::sys_seconds Now() const;
  // Returns how long ago the request was created, with a resolution of a second.
  std::chrono::duration<double> SinceCreation(const judgement::Csr& csr) const;
  std::size_t queued() const { return quick_.size() + slow_.size(); }

  requests::Store& store() { return store_; }
  requests::InFlight& in_flight() { return in_flight_; }
  // The queue `quick` contains requests that are judged from the known state. The queue `slow`
  // contains requests that need answers of kubelets, API servers or DNS servers. At most one worker
  // at a time handles slow requests of the same requester.
  requests::WorkQueue& quick() { return quick_; }
  requests::WorkQueue& slow() { return slow_; }

 private:
  const Options options_;
  const host::Clock& clock_;
  requests::Store store_;
  requests::InFlight in_flight_;
  requests::WorkQueue quick_;
  requests::WorkQueue slow_;
  std::atomic<bool> begun_ = false;
  std::mutex mutex_;
  std::set<std::string> held_;  // guarded by mutex_; the requests that are held back
};

}  // namespace controller
