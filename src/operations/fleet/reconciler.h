// SPDX-License-Identifier: Apache-2.0
// The controller of ClusterOperation objects: drives them one after the other, and reports their
// state.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "fleet/driver.h"
#include "fleet/metrics.h"
#include "fleet/status.h"
#include "host/clock.h"
#include "json/value.h"
#include "kube/client.h"

namespace fleet {

struct OperatorSettings {
  JobSettings jobs;
  std::size_t history = 20;  // number of finished objects to keep
  // Receives the spans of each operation that ends (fleet/trace.h); may be empty.
  std::function<void(const std::vector<otlp::Span>& spans)> on_end = {};
};

// Reconciles all ClusterOperations in passes. The client, the clock and the source of random bytes
// must outlive it.
class Reconciler {
 public:
  Reconciler(kube::Client& client, const host::Clock& clock, host::Random& random,
             OperatorSettings settings);

  // Makes one pass without waiting. Advances the oldest unfinished object, ends deleted objects,
  // and deletes the oldest finished objects beyond the history limit. If an object cannot be
  // handled, the pass continues with the others. If an object cannot be handled in two successive
  // passes, it gets the condition Stalled and an Event. After ten minutes of failures its operation
  // fails. A deleted object that has failed for ten minutes no longer delays the next object.
  // Throws the errors of kube::Client if the objects cannot be listed. The caller may repeat the
  // pass.
  void Pass();
  // Returns the metrics, which each pass updates.
  OperatorMetrics& metrics() { return metrics_; }

 private:
  std::vector<json::Value> CollectObjects();
  void Handle(const json::Value& object, const std::function<void()>& work);
  void Stall(const json::Value& object, const std::string& cause);
  bool HasStalled(const json::Value& object) const;
  FleetDeps Deps() const {
    return {.client = client_, .clock = clock_, .random = random_, .settings = settings_.jobs};
  }
  FleetDriver& DriverOf(const json::Value& object, const ClusterOperation& operation);
  void Advance(const json::Value& object);
  void AwaitTurn(const json::Value& object, const json::Value& current);
  void EndDeleted(const json::Value& object);
  void SetFinalizer(const json::Value& object, bool present);
  void Report(const json::Value& object, const StatusFacts& facts);
  void ReportSpans(const json::Value& object, const ClusterOperation& operation,
                   const StatusFacts& facts);
  void WriteStatus(const json::Value& object, json::Value status);
  void Prune(const std::vector<json::Value>& objects);
  void Forget(const std::vector<json::Value>& objects);

  kube::Client& client_;
  const host::Clock& clock_;
  host::Random& random_;
  const OperatorSettings settings_;
  std::map<std::string, FleetDriver> drivers_;  // by UID
  std::map<std::string, int> failures_;         // by UID: failed passes in succession
  OperatorMetrics metrics_;
};

}  // namespace fleet
