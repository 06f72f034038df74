// SPDX-License-Identifier: Apache-2.0
// Expiry of certificates for Prometheus, as a textfile for node_exporter's collector
// (prometheus.io, "Text-based exposition format").
#pragma once

#include <chrono>
#include <string>

#include "certs/expirations.h"
#include "config/types.h"
#include "host/host.h"

namespace renewal {

// The result of a run of renewal.
enum class RunEnd { kFailed, kSucceeded };

// The metrics' facts about the last run.
struct RunFacts {
  std::chrono::sys_seconds now;
  RunEnd end = RunEnd::kSucceeded;
};

// Returns kubeadm_certificate_expiration_timestamp_seconds{name,ca,authority} for every existing
// certificate, kubeadm_certs_renew_last_run_timestamp_seconds and
// kubeadm_certs_renew_last_run_success.
std::string MetricsText(const certs::Expirations& all, const RunFacts& run);

// Collects this node's certificates, and returns their metrics. Warns of unreadable ones.
std::string MetricsOf(const config::ClusterConfiguration& cluster, RunEnd end, host::Host& host);

}  // namespace renewal
