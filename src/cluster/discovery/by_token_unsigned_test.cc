// SPDX-License-Identifier: Apache-2.0
// An unsigned cluster-info, with a pinned CA.
#include <fmt/core.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/strings.h"
#include "discovery/fake_cluster.h"

namespace discovery {
namespace {

using base::Error;
using std::chrono::seconds;
using testing::ElementsAre;
using testing::HasSubstr;

const Certificates& Ours() { return Certificates::Get(); }

// A document that no parser can handle: each list is six times the previous one.
std::string AliasBomb() {
  std::string text = "l0: &l0 [x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 10; ++i) {
    text += fmt::format("l{0}: &l{0} [*l{1}, *l{1}, *l{1}, *l{1}, *l{1}, *l{1}]\n", i, i - 1);
  }
  return text;
}

std::string CaLine() {
  return "certificate-authority-data: " + base::Base64Encode(Ours().ca.certificate.Pem()) + "\n";
}

Outcome JoinNew(FakeCluster& cluster, const std::string& kubeconfig) {
  MakeNew(cluster);
  cluster.kubeconfig = kubeconfig;
  Machine machine;
  machine.timeout = seconds(3);
  machine.ByToken(cluster.Endpoint(), {pki::Pin(Ours().ca.certificate)});
  return machine.Run();
}

TEST(ByToken, ParsesAnUnsignedDocumentOnlyAfterThePinVerifiesIt) {
  // An impostor has the CA's certificate, because it is public. Another CA has signed the
  // certificate of its server.
  FakeCluster impostor(NewPair("impostor", &Ours().other_ca));
  Outcome outcome = JoinNew(impostor, CaLine() + AliasBomb());
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kUnauthorized);
  EXPECT_THAT(outcome.error.message(), HasSubstr("does not verify"));
  EXPECT_THAT(impostor.authorizations(), ElementsAre(""));

  // Discovery waits for a signature if the document has no CA, or is too long to be searched.
  const std::string padding(100'000, '#');
  for (const std::string& text : {AliasBomb(), CaLine() + AliasBomb() + padding,
                                  "certificate-authority-data: eA==\n" + AliasBomb()}) {
    outcome = JoinNew(impostor, text);
    EXPECT_EQ(outcome.error.kind(), Error::Kind::kTimeout);
    EXPECT_THAT(outcome.error.message(), HasSubstr("has not signed cluster-info"));
  }

  FakeCluster cluster;
  outcome = JoinNew(cluster, CaLine() + AliasBomb());
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kInvalid) << "the parser's, in the end";
  EXPECT_THAT(outcome.error.message(), HasSubstr("excessive aliasing"));
}

TEST(ByToken, VerifiesAnyFormOfKubeconfigByThePin) {
  FakeCluster cluster;
  const std::string ca = base::Base64Encode(Ours().ca.certificate.Pem());
  const std::string json = R"({"clusters":[{"name":"","cluster":{"certificate-authority-data":")" +
                           ca + R"(","server":"https://published:6443"}}]})";
  for (const std::string& text : {json, base::ReplaceAll(json, "data\":", "data\" : ")}) {
    const Outcome outcome = JoinNew(cluster, text);
    ASSERT_FALSE(outcome.failed) << outcome.error.message();
    EXPECT_EQ(outcome.config.CurrentCluster()->server, "https://published:6443");
  }
}

TEST(ByToken, RefusesAnotherCaInAnUnsignedDocument) {
  FakeCluster cluster;
  kube::Kubeconfig config;
  config.clusters[""] = {.server = "https://published:6443",
                         .certificate_authority_data = Ours().other_ca.certificate.Pem()};
  config.clusters["pinned"] = {.server = "https://published:6443",
                               .certificate_authority_data = Ours().ca.certificate.Pem()};
  const Outcome outcome = JoinNew(cluster, config.Text());
  EXPECT_EQ(outcome.error.kind(), Error::Kind::kUnauthorized);
  EXPECT_THAT(outcome.error.message(), HasSubstr("is not the one that was pinned"));
}

}  // namespace
}  // namespace discovery
