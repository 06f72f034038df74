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

// OperatorKeeper keeps the object and its status as they must be while it runs: it is watched,
// made where it is missing, and its status written where it differs.
class OperatorKeeper {
 public:
  struct Options {
    std::string release_version;  // "" counts as "unknown"
  };

  OperatorKeeper(kube::Transport& transport, host::Clock& clock, Metrics& metrics, Options options)
      : transport_(transport), clock_(clock), metrics_(metrics), options_(std::move(options)) {}

  // Run returns when asked to stop. Clusters without ClusterOperators are looked at now and then.
  void Run(const std::stop_token& stop);

 private:
  // Keep writes until that has succeeded, or the watch will tell of the object again.
  void Keep(const json::Value& object, const std::stop_token& stop);
  // Write makes the object when it is null. It is false when another try is wanted.
  bool Write(json::Value object, const std::stop_token& stop);

  kube::Transport& transport_;
  host::Clock& clock_;
  Metrics& metrics_;
  Options options_;
};

}  // namespace reports
