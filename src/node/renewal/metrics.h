// Expiry of certificates for Prometheus, as a textfile that node_exporter's collector reads
// (prometheus.io, "Text-based exposition format").
#pragma once

#include <chrono>
#include <string>

#include "certs/renewal.h"

namespace renewal {

// MetricsText has kubeadm_certificate_expiration_timestamp_seconds{name,ca,authority} for every
// certificate that exists, kubeadm_certs_renew_last_run_timestamp_seconds and
// kubeadm_certs_renew_last_run_success.
struct RunFacts {
  std::chrono::sys_seconds now;
  bool succeeded = true;
};
std::string MetricsText(const certs::Expirations& all, const RunFacts& run);

}  // namespace renewal
