// SPDX-License-Identifier: Apache-2.0
#include "renewal/metrics.h"

#include <fmt/core.h>

#include "base/log.h"
#include "config/paths.h"

namespace renewal {
namespace {

constexpr std::string_view kExpiry = "kubeadm_certificate_expiration_timestamp_seconds";

void Append(const std::vector<certs::Expiration>& rows, bool authority, std::string& text) {
  for (const certs::Expiration& row : rows) {
    if (row.expires) {
      text += fmt::format("{}{{name=\"{}\",ca=\"{}\",authority=\"{}\"}} {}\n", kExpiry, row.name,
                          row.ca, authority, row.expires->time_since_epoch().count());
    }
  }
}

}  // namespace

std::string MetricsText(const certs::Expirations& all, const RunFacts& run) {
  std::string text = fmt::format(
      "# HELP {0} When a certificate of this control-plane node expires.\n"
      "# TYPE {0} gauge\n",
      kExpiry);
  Append(all.certificates, false, text);
  Append(all.authorities, true, text);
  text += fmt::format(
      "# HELP kubeadm_certs_renew_last_run_timestamp_seconds When renewal ran last.\n"
      "# TYPE kubeadm_certs_renew_last_run_timestamp_seconds gauge\n"
      "kubeadm_certs_renew_last_run_timestamp_seconds {}\n"
      "# HELP kubeadm_certs_renew_last_run_success Whether that run succeeded.\n"
      "# TYPE kubeadm_certs_renew_last_run_success gauge\n"
      "kubeadm_certs_renew_last_run_success {}\n",
      run.now.time_since_epoch().count(), run.end == RunEnd::kSucceeded ? 1 : 0);
  return text;
}

std::string MetricsOf(const config::ClusterConfiguration& cluster, RunEnd end, host::Host& host) {
  const auto now = host.clock.NowSeconds();
  const certs::Expirations all =
      certs::CollectExpirations({.files = host.files,
                                 .cluster = cluster,
                                 .kubeconfig_dir = config::kKubernetesDir,
                                 .start = now});
  for (const std::string& problem : certs::ProblemsOf(all, certs::ProblemKind::kErrors)) {
    base::LogWarning("the metrics lack a certificate: {}", problem);
  }
  return MetricsText(all, {.now = now, .end = end});
}

}  // namespace renewal
