// SPDX-License-Identifier: Apache-2.0
#include "pki/tls_server.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "pki/certificate.h"

namespace pki {
namespace {

using testing::HasSubstr;

struct Identity {
  std::string certificate;
  std::string key;
};

Identity Made() {
  const PrivateKey key = PrivateKey::Generate(Algorithm::kEcdsaP256);
  const std::chrono::sys_seconds start{std::chrono::seconds(1767225600)};
  return {.certificate = NewSelfSignedCa({.subject = {.common_name = "ca"},
                                          .not_before = start,
                                          .not_after = start + std::chrono::hours(1)},
                                         key)
                             .Pem(),
          .key = key.Pem()};
}

std::string Problem(const std::string& certificate, const std::string& key) {
  return base::MessageOf([&] { TlsServer(certificate, key); }, base::Error::Kind::kInvalid);
}

TEST(TlsServer, RequiresACertificateAndItsKey) {
  const Identity one = Made();
  const Identity other = Made();
  EXPECT_EQ(Problem(one.certificate, one.key), "");
  EXPECT_EQ(Problem(one.certificate + other.certificate, one.key), "") << "the rest is a chain";
  EXPECT_THAT(Problem("", one.key), HasSubstr("certificate"));
  EXPECT_THAT(Problem(one.certificate, other.key), HasSubstr("does not belong to its certificate"));
  EXPECT_THAT(Problem(one.certificate, ""), HasSubstr("key"));
}

// OpenSSL's own reader would ask for a passphrase at the terminal for the first file, and skip the
// second file.
TEST(TlsServer, RefusesTheSameFilesAsGo) {
  const Identity one = Made();
  const std::string encrypted =
      "-----BEGIN ENCRYPTED PRIVATE KEY-----\nMAA=\n-----END ENCRYPTED PRIVATE KEY-----\n";
  EXPECT_NE(Problem(one.certificate, encrypted), "");
  const std::string broken = "-----BEGIN CERTIFICATE-----\nMAA=\n-----END CERTIFICATE-----\n";
  EXPECT_NE(Problem(one.certificate + broken, one.key), "");
}

}  // namespace
}  // namespace pki
