#include "renewal/metrics.h"

#include <gtest/gtest.h>

namespace renewal {
namespace {

TEST(MetricsText, HasALineForEachCertificateThatExists) {
  constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1767225600)};
  EXPECT_EQ(MetricsText({.certificates = {{.name = "admin.conf"},
                                          {.name = "apiserver",
                                           .ca = "ca",
                                           .expires = kNow + std::chrono::seconds(5)}},
                         .authorities = {{.name = "ca", .expires = kNow}}},
                        {.now = kNow, .succeeded = false}),
            "# HELP kubeadm_certificate_expiration_timestamp_seconds When a certificate of this "
            "control-plane node expires.\n"
            "# TYPE kubeadm_certificate_expiration_timestamp_seconds gauge\n"
            "kubeadm_certificate_expiration_timestamp_seconds"
            "{name=\"apiserver\",ca=\"ca\",authority=\"false\"} 1767225605\n"
            "kubeadm_certificate_expiration_timestamp_seconds"
            "{name=\"ca\",ca=\"\",authority=\"true\"} 1767225600\n"
            "# HELP kubeadm_certs_renew_last_run_timestamp_seconds When renewal ran last.\n"
            "# TYPE kubeadm_certs_renew_last_run_timestamp_seconds gauge\n"
            "kubeadm_certs_renew_last_run_timestamp_seconds 1767225600\n"
            "# HELP kubeadm_certs_renew_last_run_success Whether that run succeeded.\n"
            "# TYPE kubeadm_certs_renew_last_run_success gauge\n"
            "kubeadm_certs_renew_last_run_success 0\n");
}

}  // namespace
}  // namespace renewal
