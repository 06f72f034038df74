// SPDX-License-Identifier: Apache-2.0
// Leader election with a Lease (coordination.k8s.io/v1), by the rules of client-go's
// "leaderelection" documentation: one holder at a time, as long as clocks run at about the same
// speed.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>

#include "base/error.h"
#include "host/clock.h"
#include "json/value.h"
#include "kube/client.h"

namespace kube {

// The Lease and its holder. The default times are upstream's times for OpenShift's controllers.
struct LeaderOptions {
  std::string name_space;
  std::string name;
  std::string identity;  // "<host name>_<something unique>"
  std::chrono::milliseconds lease_duration{137'000};
  std::chrono::milliseconds renew_deadline{107'000};
  std::chrono::milliseconds retry_period{26'000};
  // Called at each poll at which another client holds the Lease; may be empty.
  std::function<void(const std::string& holder)> waiting = {};
  // Called with the reason each time the Lease cannot be taken or renewed. Its exceptions end
  // Acquire. If not set, a warning is logged instead.
  std::function<void(const base::Error& error, const std::string& text)> trouble = {};
};

// Holds, or waits for, one Lease. Measures durations with this process's monotonic clock. Compares
// timestamps that other clients write into the Lease only with their previous values. The transport
// and the clock must outlive the elector.
class LeaderElector {
 public:
  LeaderElector(Transport& transport, host::Clock& clock, LeaderOptions options);

  // Polls until this client holds the Lease, and returns true. Returns false on an earlier stop
  // request.
  bool Acquire(const std::stop_token& stop);
  // Renews the Lease repeatedly. Returns true on a stop request: this client is still the holder.
  // Returns false if leadership is lost: another holder appears, or the deadline passes without a
  // successful renewal. The deadline counts from the beginning of the last successful attempt, and
  // also ends a running attempt.
  bool Keep(const std::stop_token& stop);
  // Releases the Lease, so that others can take it immediately. Failures are ignored, because the
  // Lease expires.
  void Release();

 private:
  using Steady = std::chrono::steady_clock;

  // Creates, takes over or renews the Lease; returns false if another client holds it.
  bool TryOnce(const std::stop_token& stop);
  bool Hold(const std::stop_token& stop);
  bool Create(const std::stop_token& stop);
  bool KeepUntilLost(const std::stop_token& stop);
  bool IsFree(const json::Value& lease);
  void ReportTrouble(std::string_view verb, const base::Error& error) const;
  json::Value SpecFor(const json::Value& old) const;
  Call CallFor(Verb verb, json::Value body = {}) const;

  Transport& transport_;
  host::Clock& clock_;
  LeaderOptions options_;
  std::string observed_;  // the Lease's spec as last seen
  Steady::time_point observed_at_{};
  Steady::time_point renewed_{};             // beginning of the last successful attempt
  std::optional<Steady::time_point> until_;  // during Keep: the deadline of the renewal
};

}  // namespace kube
