// SPDX-License-Identifier: Apache-2.0
// The ClusterOperator machine-approver of OpenShift.
#pragma once

#include <stop_token>
#include <string>

#include "host/clock.h"
#include "json/value.h"
#include "kube/client.h"
#include "reports/metrics.h"

namespace reports {

// Keeps the object and its status in the required state while Run runs: watches the object, creates
// it if it is missing, and writes its status if the status differs.
class OperatorKeeper {
 public:
  struct Options {
    std::string release_version;  // "" counts as "unknown"
  };

  OperatorKeeper(kube::Transport& transport, host::Clock& clock, Metrics& metrics, Options options)
      : transport_(transport), clock_(clock), metrics_(metrics), options_(std::move(options)) {}

  // Returns on a stop request. If the cluster does not serve ClusterOperators, checks again at
  // intervals.
  void Run(const std::stop_token& stop);

 private:
  // Retries the write until it succeeds, or until it fails in a way that makes the watch report the
  // object again.
  void Keep(const json::Value& object, const std::stop_token& stop);
  // Creates the object if it is null, and updates its status. Returns false if a retry is needed.
  bool Write(json::Value object, const std::stop_token& stop);

  kube::Transport& transport_;
  host::Clock& clock_;
  Metrics& metrics_;
  Options options_;
};

}  // namespace reports
