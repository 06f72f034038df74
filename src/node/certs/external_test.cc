// SPDX-License-Identifier: Apache-2.0
#include "certs/external.h"

#include <gmock/gmock.h>

#include "base/error.h"
#include "base/fake_error.h"
#include "certs/fake_context.h"

namespace certs {
namespace {

using State = ExternalCa::State;
using testing::HasSubstr;

ExternalCa Detect(FakeContext& context, std::string_view name) {
  return DetectExternalCa(context.fake.files, FakeContext::kDir, name, FakeContext::kStart);
}

TEST(ExternalCaTest, IsExternalWhenOnlyItsKeyIsMissing) {
  FakeContext context;
  context.MakeAll();
  for (const char* name : {"ca", "front-proxy-ca", "etcd-ca"}) {
    EXPECT_EQ(Detect(context, name).state, State::kLocal);
    context.Remove(std::string(FindSpec(name).base_name) + ".key");
    const ExternalCa verdict = Detect(context, name);
    EXPECT_TRUE(verdict.external()) << name << ": " << verdict.reason;
  }
}

TEST(ExternalCaTest, ReportsWhyItIsNotExternal) {
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
      {"a leaf in the place of the CA", "ca",
       [](FakeContext& c) { c.Write("ca.crt", c.Text("apiserver.crt")); }, State::kNoCertificate,
       "ca.crt"},
      {"a key that cannot be read is here", "ca", [](FakeContext& c) { c.Write("ca.key", "x"); },
       State::kLocal, ""},
      {"no certificate of the API server", "ca", [](FakeContext& c) { c.Remove("apiserver.crt"); },
       State::kIncomplete, "apiserver.crt"},
      {"no key of the kubelet client", "ca",
       [](FakeContext& c) { c.Remove("apiserver-kubelet-client.key"); }, State::kIncomplete,
       "apiserver-kubelet-client.key"},
      {"neither key nor certificate: the key is named", "ca",
       [](FakeContext& c) {
         c.Remove("apiserver.crt");
         c.Remove("apiserver.key");
       },
       State::kIncomplete, "apiserver.key"},
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
    const ExternalCa verdict = Detect(context, c.ca);
    EXPECT_EQ(verdict.state, c.want) << c.name;
    EXPECT_THAT(verdict.reason, HasSubstr(c.mention)) << c.name;
  }
}

TEST(ExternalCaTest, RequiresItsCertificatesToBeValidNow) {
  FakeContext context;
  context.config.cluster.certificate_validity_period = -std::chrono::hours(24);
  context.MakeAll();
  context.Remove("ca.key");
  const ExternalCa verdict = Detect(context, "ca");
  EXPECT_EQ(verdict.state, State::kIncomplete);
  EXPECT_THAT(verdict.reason, HasSubstr("expired"));
}

TEST(IsExternalCa, RefusesAnIncompleteExternalCa) {
  FakeContext context;
  const auto is_external = [&](std::string_view name) {
    return IsExternalCa(context.fake.files, FakeContext::kDir, name, FakeContext::kStart);
  };
  EXPECT_FALSE(is_external("ca")) << "there is none yet";
  context.MakeAll();
  EXPECT_FALSE(is_external("ca"));
  context.Remove("front-proxy-ca.key");
  EXPECT_TRUE(is_external("front-proxy-ca"));
  context.Remove("front-proxy-client.crt");
  const base::Error error = base::Thrown([&] { is_external("front-proxy-ca"); });
  EXPECT_THAT(error.message(), HasSubstr("incomplete external front-proxy CA: front-proxy-cl"));
}

}  // namespace
}  // namespace certs
