// SPDX-License-Identifier: Apache-2.0
#include "certs/requests.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"

namespace certs {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(RequestsTest, CreatesAKeyAndARequestForEveryLeaf) {
  FakeContext context;
  context.config.cluster.etcd.external.emplace();  // its clients need certificates, too
  const auto leaves = WriteCertificateRequests(context.Get());
  EXPECT_EQ(leaves.size(), 7U);
  for (const CertSpec* spec : leaves) {
    const std::string base(spec->base_name);
    EXPECT_FALSE(spec->is_ca()) << base;
    EXPECT_THAT(context.Text(base + ".csr"), StartsWith("-----BEGIN CERTIFICATE REQUEST-----"));
    EXPECT_NO_THROW(LoadKey(context.fake.files, FakeContext::Path(base + ".key"))) << base;
    EXPECT_EQ(context.Mode(base + ".csr"), 0600U) << base;
    EXPECT_EQ(context.Mode(base + ".key"), 0600U) << base;
  }
  EXPECT_EQ(context.Mode("etcd"), 0755U);
  EXPECT_FALSE(context.fake.files.Exists(FakeContext::Path("ca.key")));
}

TEST(RequestsTest, ExistingFilesAreRefused) {
  for (const char* existing : {"apiserver.csr", "apiserver-etcd-client.key"}) {
    FakeContext context;
    context.Write(existing, "old");
    EXPECT_THAT(base::MessageOf([&] { RequireNoRequests(context.Get()); }),
                StartsWith("file already exists: " + FakeContext::Path(existing).string()));
  }
  FakeContext context;
  EXPECT_EQ(base::MessageOf([&] { RequireNoRequests(context.Get()); }), "");
}

TEST(RequestsTest, CreatesARequestForAnExistingKey) {
  FakeContext context;
  context.config.cluster.encryption_algorithm = "RSA-2048";  // repeated RSA signatures are equal
  WriteCertificateRequests(context.Get());
  const std::string key = context.Text("apiserver.key");
  const std::string request = context.Text("apiserver.csr");
  context.Remove("apiserver.csr");
  WriteCertificateRequests(context.Get());
  EXPECT_EQ(context.Text("apiserver.key"), key);
  EXPECT_EQ(context.Text("apiserver.csr"), request);
}

TEST(RequestsTest, AKeyThatCannotBeReadIsNotReplaced) {
  FakeContext context;
  context.Write("apiserver.key", "no key");
  EXPECT_THAT(base::MessageOf([&] { WriteCertificateRequests(context.Get()); }),
              HasSubstr("apiserver.key"));
  EXPECT_EQ(context.Text("apiserver.key"), "no key");
}

}  // namespace
}  // namespace certs
