// SPDX-License-Identifier: Apache-2.0
// Expiry of certificates for Prometheus, as a textfile that node_exporter's collector reads
// (prometheus.io, "Text-based exposition format").
#pragma once

#include <chrono>
#include <optional>
#include <string>

#include "certs/expirations.h"
#include "config/types.h"
#include "host/host.h"

namespace renewal {

// RunEnd is how a run of renewal ended.
enum class RunEnd { kFailed, kSucceeded };

// RunFacts are what the metrics say of the last run.
struct RunFacts {
  std::chrono::sys_seconds now;
  RunEnd end = RunEnd::kSucceeded;
};

// MetricsText has kubeadm_certificate_expiration_timestamp_seconds{name,ca,authority} for every
// certificate that exists, kubeadm_certs_renew_last_run_timestamp_seconds and
// kubeadm_certs_renew_last_run_success.
std::string MetricsText(const certs::Expirations& all, const RunFacts& run);

// MetricsFile is where to write them: `wanted`, or when that is empty kubeadm_certs.prom in the
// directory where Debian's node_exporter looks for textfiles; nothing when there is none.
std::optional<host::fs::path> MetricsFile(const host::Files& files, const host::fs::path& wanted);

// WriteMetrics lists this node's certificates and writes the file (mode 0644). Warns of those that
// cannot be read. Throws base::Error when the file cannot be written.
void WriteMetrics(const host::fs::path& file, const config::ClusterConfiguration& cluster,
                  RunEnd end, host::Host& host);

}  // namespace renewal
