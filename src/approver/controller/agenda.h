// SPDX-License-Identifier: Apache-2.0
// The known state of the cluster, and the queue of requests to judge because of its changes.
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
    bool bootstrap_tokens = false;  // also judge requests of tokens' owners
    bool nodes_attest = false;      // inventory `nodes`
  };
  Agenda(Options options, const host::Clock& clock);

  void PutCsr(const json::Value& csr);
  void RemoveCsr(const std::string& name);
  // PutPending queues a request as if it were pending, whatever its present conditions are.
  // DropPending removes such a request. Neither changes the certificates in flight.
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
  // Queues the requests. Those that are held back are queued once they may be judged.
  void Requeue(requests::Store::Names names);
  // Ends the claim of a request whose approval failed or may have failed. The node's other requests
  // become due after a pause. The request itself becomes due when it is queued again.
  void GiveUp(const std::string& name);
  // Holds a request back until fewer requests are pending. Returns true if it is the first request
  // that is held back.
  bool HoldBack(const std::string& name);

  requests::Limits LimitsNow() const;
  std::chrono::sys_seconds Now() const;
  // Returns how long ago the request was created, with a resolution of a second.
  std::chrono::duration<double> SinceCreation(const judgement::Csr& csr) const;
  std::size_t queued() const { return quick_.size() + slow_.size(); }

  requests::Store& store() { return store_; }
  requests::InFlight& in_flight() { return in_flight_; }
  // quick: requests that are judged from the known state. slow: requests that need answers of
  // kubelets or the API server; at most one worker per requester.
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
  std::set<std::string> held_;  // guarded by mutex_: too many are pending
};

}  // namespace controller
