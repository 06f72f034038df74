// SPDX-License-Identifier: Apache-2.0
#include "renewal/metrics.h"

#include <gtest/gtest.h>

#include "certs/fake_context.h"

namespace renewal {
namespace {

TEST(MetricsText, HasALineForEachCertificateThatExists) {
  constexpr std::chrono::sys_seconds kNow{std::chrono::seconds(1767225600)};
  EXPECT_EQ(MetricsText({.certificates = {{.name = "admin.conf"},
                                          {.name = "apiserver",
                                           .ca = "ca",
                                           .expires = kNow + std::chrono::seconds(5)}},
                         .authorities = {{.name = "ca", .expires = kNow}}},
                        {.now = kNow, .end = RunEnd::kFailed}),
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

TEST(MetricsOf, ListsThisNodesCertificates) {
  certs::FakeContext made;
  made.MakeAll();
  const std::string text = MetricsOf(made.config.cluster, RunEnd::kSucceeded, made.fake.host);
  EXPECT_NE(text.find("name=\"apiserver\",ca=\"ca\""), std::string::npos) << text;
  EXPECT_NE(text.find("last_run_success 1"), std::string::npos) << text;
}

}  // namespace
}  // namespace renewal
