// SPDX-License-Identifier: Apache-2.0
#include "certs/requests.h"

#include <gmock/gmock.h>

#include "certs/fake_context.h"

namespace certs {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(RequestsTest, EveryLeafGetsAKeyAndARequest) {
  FakeContext context;
  context.config.cluster.etcd.external.emplace();  // its clients need certificates all the same
  const auto leaves = NewCertificateRequests(context.Get());
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

TEST(RequestsTest, ExistingFilesStopItBeforeAnythingIsWritten) {
  for (const char* existing : {"apiserver.csr", "apiserver-etcd-client.key"}) {
    FakeContext context;
    context.Write(existing, "old");
    const auto before = context.fake.files.written();
    EXPECT_THAT(ThrownBy([&] { NewCertificateRequests(context.Get()); }),
                StartsWith("file already exists: " + FakeContext::Path(existing).string()));
    EXPECT_EQ(context.fake.files.written(), before) << existing;
  }
}

}  // namespace
}  // namespace certs
