// SPDX-License-Identifier: Apache-2.0
#include "machine_approver/metrics_server.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error.h"
#include "host/fake_host.h"
#include "pki/certificate.h"

namespace machine_approver {
namespace {

using base::Error;

TEST(NewIdentity, IsAServerCertificateForAYear) {
  const auto now = host::FakeClock::kStart;
  const http::ServerIdentity identity = NewIdentity("panda", now);
  const auto certificate = pki::Certificate::FromPem(identity.certificate_pem);
  EXPECT_TRUE(certificate.CoversName("panda"));
  EXPECT_TRUE(certificate.CoversName("127.0.0.1"));
  EXPECT_FALSE(certificate.is_ca());
  EXPECT_GT(certificate.not_after(), now + std::chrono::days(364));
  EXPECT_TRUE(pki::PrivateKey::FromPem(identity.key_pem).Public() == certificate.public_key());
}

TEST(FilesIdentity, ReadsTheDirectory) {
  host::FakeHost fake;
  EXPECT_THROW(FilesIdentity(fake.host, "/certs"), Error);
  fake.files.Write("/certs/tls.crt", "c", {});
  fake.files.Write("/certs/tls.key", "k", {});
  EXPECT_EQ(FilesIdentity(fake.host, "/certs"),
            (http::ServerIdentity{.certificate_pem = "c", .key_pem = "k"}));
}

TEST(ExpiryMetric, HasTheEndOfValidityInUnixTime) {
  host::FakeHost fake;
  EXPECT_EQ(ExpiryMetric(fake.host, "/certs"), "");
  fake.files.Write("/certs/tls.crt", "damaged", {});
  EXPECT_EQ(ExpiryMetric(fake.host, "/certs"), "");
  fake.files.Write("/certs/tls.crt", NewIdentity("panda", host::FakeClock::kStart).certificate_pem,
                   {});
  EXPECT_THAT(
      ExpiryMetric(fake.host, "/certs"),
      testing::EndsWith("\nmachine_approver_identity_certificate_expiration_timestamp_seconds "
                        "1798782552\n"));
}

}  // namespace
}  // namespace machine_approver
