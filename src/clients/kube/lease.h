// SPDX-License-Identifier: Apache-2.0
// Leases (coordination.k8s.io/v1): who holds one, and that it is still alive.
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

// MicroTime is now as Leases hold it, "2026-01-31T23:59:59.123456Z": these texts sort like the
// times.
std::string MicroTime(const host::Clock& clock);

// RenewalProbe: the Lease has been renewed after `since`, a MicroTime. What renews it runs, and it
// and the API server know each other. `client` outlives it.
Probe RenewalProbe(Client& client, LeaseName lease, std::string since);

// Released is the Lease as its holder gives it back: free for whoever asks first.
json::Value Released(json::Value lease);

}  // namespace kube
