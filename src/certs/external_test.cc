#include "certs/external.h"

#include <gmock/gmock.h>

#include "certs/fake_context.h"

namespace certs {
namespace {

using State = ExternalCa::State;
using testing::HasSubstr;

TEST(ExternalCaTest, IsExternalWhenOnlyItsKeyIsMissing) {
  FakeContext context;
  context.MakeAll();
  for (const char* name : {"ca", "front-proxy-ca", "etcd-ca"}) {
    EXPECT_EQ(DetectExternalCa(context.fake.files, FakeContext::kDir, name).state, State::kLocal);
    context.Remove(std::string(FindSpec(name).base_name) + ".key");
    const ExternalCa verdict = DetectExternalCa(context.fake.files, FakeContext::kDir, name);
    EXPECT_TRUE(verdict.external()) << name << ": " << verdict.reason;
  }
}

TEST(ExternalCaTest, SaysWhyItIsNot) {
  struct Case {
    const char* name;
    const char* ca;
    void (*spoil)(FakeContext&);
    State want;
    const char* mention;
  };
  const Case cases[] = {
      {"no certificate", "ca", [](FakeContext& c) { c.Remove("ca.crt"); }, State::kNoCertificate,
       "ca.crt"},
      {"broken certificate", "ca", [](FakeContext& c) { c.Write("ca.crt", "x"); },
       State::kNoCertificate, "ca.crt"},
      {"a key that cannot be read is here", "ca", [](FakeContext& c) { c.Write("ca.key", "x"); },
       State::kLocal, ""},
      {"no certificate of the API server", "ca", [](FakeContext& c) { c.Remove("apiserver.crt"); },
       State::kIncomplete, "apiserver.crt"},
      {"no key of the kubelet client", "ca",
       [](FakeContext& c) { c.Remove("apiserver-kubelet-client.key"); }, State::kIncomplete,
       "apiserver-kubelet-client.key"},
      {"signed by another", "ca",
       [](FakeContext& c) { c.Write("apiserver.crt", c.Text("etcd/server.crt")); },
       State::kIncomplete, "apiserver"},
      {"another CA's leaf does not matter", "ca",
       [](FakeContext& c) { c.Remove("front-proxy-client.crt"); }, State::kExternal, ""},
      {"front proxy", "front-proxy-ca", [](FakeContext& c) { c.Remove("front-proxy-client.crt"); },
       State::kIncomplete, "front-proxy-client"},
      {"etcd", "etcd-ca", [](FakeContext& c) { c.Remove("apiserver-etcd-client.crt"); },
       State::kIncomplete, "apiserver-etcd-client"},
  };
  for (const Case& c : cases) {
    FakeContext context;
    context.MakeAll();
    for (const char* key : {"ca.key", "front-proxy-ca.key", "etcd/ca.key"}) {
      context.Remove(key);
    }
    c.spoil(context);
    const ExternalCa verdict = DetectExternalCa(context.fake.files, FakeContext::kDir, c.ca);
    EXPECT_EQ(verdict.state, c.want) << c.name;
    EXPECT_THAT(verdict.reason, HasSubstr(c.mention)) << c.name;
  }
}

TEST(ExternalCaTest, DatesAreNotLookedAt) {
  FakeContext context;
  context.config.cluster.certificate_validity_period = -std::chrono::hours(24);
  context.MakeAll();
  context.Remove("ca.key");
  EXPECT_TRUE(DetectExternalCa(context.fake.files, FakeContext::kDir, "ca").external());
}

}  // namespace
}  // namespace certs
