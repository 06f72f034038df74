// SPDX-License-Identifier: Apache-2.0
// The controller of ClusterOperation objects: drives them one after the other, and reports their
// state.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

#include "fleet/driver.h"
#include "fleet/status.h"
#include "host/clock.h"
#include "json/value.h"
#include "kube/client.h"

namespace fleet {

struct OperatorSettings {
  JobSettings jobs;
  std::size_t history = 20;  // finished objects that are kept
};

// Works on all objects in passes. The client and the clock must outlive it.
class Reconciler {
 public:
  Reconciler(kube::Client& client, const host::Clock& clock, OperatorSettings settings);

  // Makes one pass, which does not wait: advances the oldest object that is not finished, ends
  // deleted ones, and deletes the oldest finished ones beyond the history. Throws base::Error with
  // the server's kind; the pass may be repeated.
  void Pass();
  // Returns the metrics of the last pass in Prometheus' text format. Thread-safe.
  std::string MetricsText() const;

 private:
  FleetDriver& DriverOf(const json::Value& object, const ClusterOperation& operation);
  void Advance(const json::Value& object);
  void AwaitTurn(const json::Value& object, const json::Value& current);
  void EndDeleted(const json::Value& object);
  void SetFinalizer(const json::Value& object, bool present);
  void Report(const json::Value& object, const StatusFacts& facts);
  void Prune(const std::vector<json::Value>& objects);
  void Count(const std::vector<json::Value>& objects);

  kube::Client& client_;
  const host::Clock& clock_;
  const OperatorSettings settings_;
  std::map<std::string, FleetDriver> drivers_;  // by UID
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t> phases_;  // guarded by mutex_: objects by phase
};

}  // namespace fleet
