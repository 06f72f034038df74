// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/applied.h"

#include <fmt/core.h>
#include <gtest/gtest.h>

#include "host/fake_host.h"
#include "http/fake_server.h"

namespace etcd_membership {
namespace {

// Returns the result of AppliedHere for an etcd with these metrics.
std::optional<std::uint64_t> AppliedIn(const std::string& metrics) {
  const http::FakeServer server([&](const http::FakeRequest& request) {
    return request.path == "/metrics" ? http::FakeReply{.status = 200, .body = metrics}
                                      : http::FakeReply{.status = 404};
  });
  host::FakeHost fake;
  fake.files.Write("/etc/kubernetes/manifests/etcd.yaml",
                   fmt::format("spec:\n  containers:\n  - name: etcd\n    command:\n    - etcd\n"
                               "    - --listen-metrics-urls={}\n",
                               server.Url()),
                   {});
  return AppliedHere(fake.files);
}

TEST(AppliedHere, IsReadFromTheMetrics) {
  EXPECT_EQ(AppliedIn("# TYPE etcd_server_proposals_applied_total gauge\n"
                      "etcd_server_proposals_applied_total 729\n"),
            729);
  EXPECT_EQ(AppliedIn("a 1\netcd_server_proposals_applied_total 1.234567e+06\nb 2\n"), 1'234'567);
}

TEST(AppliedHere, IsNulloptWithoutANumber) {
  EXPECT_EQ(AppliedIn("etcd_server_proposals_applied_total_more 729\n"), std::nullopt);
  EXPECT_EQ(AppliedIn("etcd_server_proposals_applied_total NaN\n"), std::nullopt);
  EXPECT_EQ(AppliedIn("etcd_server_proposals_applied_total -1\n"), std::nullopt);
  EXPECT_EQ(AppliedIn(""), std::nullopt);
}

TEST(AppliedHere, IsNulloptWithoutAListener) {
  host::FakeHost fake;
  fake.files.Write("/etc/kubernetes/manifests/etcd.yaml",
                   "spec:\n  containers:\n  - name: etcd\n    command:\n    - etcd\n"
                   "    - --listen-metrics-urls=http://127.0.0.1:1\n",
                   {});
  EXPECT_EQ(AppliedHere(fake.files), std::nullopt);
}

}  // namespace
}  // namespace etcd_membership
