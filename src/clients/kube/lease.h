// SPDX-License-Identifier: Apache-2.0
// Leases (coordination.k8s.io/v1): their holder, and the liveness of the holder.
#pragma once

#include <string>

#include "host/clock.h"
#include "json/value.h"
#include "kube/client.h"
#include "kube/wait.h"

namespace kube {

struct LeaseName {
  std::string name_space;
  std::string name;
};

// Returns the current time in the form of a Lease, "2026-01-31T23:59:59.123456Z". The order of
// these strings is the order of their times.
std::string MicroTime(const host::Clock& clock);

// Returns a probe that succeeds if the Lease was renewed after `since`, a MicroTime. Success proves
// that the holder of the Lease runs, and that the holder and the API server trust each other.
// `client` must outlive the probe.
Probe RenewalProbe(Client& client, LeaseName lease, std::string since);

// Returns the Lease in released form: the next client may take it.
json::Value Released(json::Value lease);

}  // namespace kube
