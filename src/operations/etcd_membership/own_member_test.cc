// SPDX-License-Identifier: Apache-2.0
#include "etcd_membership/own_member.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

#include "host/fake_host.h"
#include "pki/certificate.h"

namespace etcd_membership {
namespace {

using testing::HasSubstr;

// Writes a certificate and key that etcd's client accepts.
void WritePair(host::FakeFiles& files, const std::string& directory) {
  const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
  const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
  const std::string pem = pki::NewSelfSignedCa({.subject = {.common_name = "etcd-ca"},
                                                .not_before = now - std::chrono::hours(1),
                                                .not_after = now + std::chrono::hours(1)},
                                               key)
                              .Pem();
  files.Write(directory + "/ca.crt", pem, {});
  files.Write(directory + "/healthcheck-client.crt", pem, {});
  files.Write(directory + "/healthcheck-client.key", key.Pem(), {});
}

// The member does not answer, because no process listens at its client port. LossProblem must
// return a reason only if the fake network reports that port as used.
TEST(LossProblem, ASilentMemberCountsAsGoneOnlyIfItsPortIsFree) {
  host::FakeHost fake;
  fake.files.Write("/etc/kubernetes/manifests/etcd.yaml",
                   "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: etcd, command: [etcd, "
                   "'--advertise-client-urls=https://127.0.0.1:1', "
                   "'--initial-advertise-peer-urls=https://127.0.0.1:2380']}]}",
                   {});
  WritePair(fake.files, "/pki/etcd");
  fake.network.port_problems[2379] = "in use by another etcd";
  EXPECT_EQ(LossProblem(fake.host, "/pki/etcd", {}), std::nullopt);
  fake.network.port_problems[1] = "in use";
  EXPECT_THAT(LossProblem(fake.host, "/pki/etcd", {}).value_or(""),
              HasSubstr("it runs, and it is unknown whether etcd can do without it"));
}

}  // namespace
}  // namespace etcd_membership
