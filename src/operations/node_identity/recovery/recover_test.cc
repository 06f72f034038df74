// SPDX-License-Identifier: Apache-2.0
#include "node_identity/recovery/recover.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "kube/fake_server.h"
#include "node_identity/recovery/look.h"
#include "node_identity/recovery/operation.h"

namespace kubelet_recovery {
namespace {

using testing::HasSubstr;
using testing::Optional;

constexpr const char* kConf = "/etc/kubernetes/kubelet.conf";
constexpr const char* kRotated = "/var/lib/kubelet/pki/kubelet-client-current.pem";

class RecoverTest : public testing::Test {
 protected:
  RecoverTest() {
    made_.MakeAll();
    Write(Pair("system:node:w1", std::chrono::hours(1)));
  }

  pki::KeyPair Pair(const std::string& name, std::chrono::seconds validity) {
    const pki::PrivateKey key = pki::PrivateKey::Generate(pki::Algorithm::kEcdsaP256);
    return {pki::Sign({.subject = {.common_name = name, .organizations = {"system:nodes"}},
                       .alt_names = {},
                       .usages = {pki::ExtendedKeyUsage::kClientAuth},
                       .not_before = certs::FakeContext::kStart - std::chrono::hours(2),
                       .not_after = certs::FakeContext::kStart + validity},
                      key.Public(), certs::LoadCa(files_, certs::FakeContext::kDir, "ca")),
            key};
  }

  void Write(const pki::KeyPair& pair) {
    kube::Kubeconfig conf;
    conf.clusters["c"] = {.server = "https://a:6443",
                          .certificate_authority_data = made_.Text("ca.crt")};
    conf.users["u"] = {.client_certificate = kRotated, .client_key = kRotated};
    conf.contexts["x"] = {.cluster = "c", .user = "u"};
    conf.current_context = "x";
    files_.Write(kConf, conf.Text(), {});
    files_.Write(kRotated, pair.certificate.Pem() + pair.key.Pem(), {});
  }

  // Installs a new certificate and restarts the kubelet. The Lease of the node has the time
  // `renewed`.
  void RestartWhenRenewedAt(const std::string& renewed) {
    kube::FakeApiServer server;
    const pki::KeyPair pair = Pair("system:node:w1", std::chrono::hours(1));
    kube::Kubeconfig conf = server.Config(made_.Text("ca.crt"));
    conf.users.begin()->second = {.client_certificate_data = pair.certificate.Pem(),
                                  .client_key_data = pair.key.Pem()};
    files_.Write(kConf, conf.Text(), {});
    made_.fake.processes.AddExecutable("systemctl");
    server.Put(kube::resources::kLease,
               {{"metadata", {{"name", "w1"}, {"namespace", "kube-node-lease"}}},
                {"spec", {{"renewTime", renewed}}}});
    Run(Plan::kRestart, CollectFound(made_.fake.host, "w1"), {}, {});
  }

  RecoveryDeps With() {
    return {.host = made_.fake.host, .say = [](const std::string&) {}};
  }

  void Run(Plan plan, const Found& found, const std::optional<NewCredentials>& credentials,
           const std::optional<engine::Journal>& interrupted) {
    engine::Run(PlanOperation(plan, found,
                              std::make_shared<const std::optional<NewCredentials>>(credentials)),
                interrupted, {made_.fake.host, reporter_});
  }

  // Installs a new certificate. The run fails before the restart, because the host has no service
  // manager.
  engine::Journal RunUntilRestart(const Found& found) {
    EXPECT_THAT(
        base::MessageOf([&] { Run(Plan::kNewCertificate, found, Issue(found, With()), {}); }),
        HasSubstr("restart the kubelet by hand"));
    return engine::LoadJournal(files_, kOperation).value();
  }

  certs::FakeContext made_;
  host::Files& files_ = made_.fake.files;
  workflow::Reporter reporter_{made_.fake.clock, {}};
};

TEST_F(RecoverTest, AValidCertificateHasNoProblem) {
  const Found found = CollectFound(made_.fake.host, "");
  EXPECT_EQ(found.problem, std::nullopt);
  EXPECT_FALSE(found.unfinished);
  EXPECT_EQ(found.node, "w1");
  EXPECT_EQ(found.until, certs::FakeContext::kStart + std::chrono::hours(1));
}

TEST_F(RecoverTest, NamesTheProblem) {
  Write(Pair("system:node:w1", -std::chrono::hours(1)));
  Found found = CollectFound(made_.fake.host, "");
  EXPECT_THAT(found.problem, Optional(HasSubstr("it expired at 2025-12-31T23:00:00Z")));
  EXPECT_EQ(found.node, "w1");  // even though the certificate has expired

  files_.Write(kRotated, Pair("system:node:w1", std::chrono::hours(1)).certificate.Pem(), {});
  EXPECT_THAT(CollectFound(made_.fake.host, "").problem, Optional(HasSubstr("the key")));

  files_.Remove(kRotated);
  found = CollectFound(made_.fake.host, "");
  EXPECT_THAT(found.problem, Optional(HasSubstr("holds no certificate")));

  files_.Remove(kConf);
  files_.Write("/var/lib/kubelet/kubeadm-flags.env",
               "KUBELET_KUBEADM_ARGS=\"--hostname-override=w2\"\n", {});
  found = CollectFound(made_.fake.host, "");
  EXPECT_THAT(found.problem, Optional(HasSubstr("kubelet.conf is missing")));
  EXPECT_EQ(found.node, "w2");
  EXPECT_EQ(CollectFound(made_.fake.host, "w3").node, "w3");
}

TEST_F(RecoverTest, RefusesACertificateOfAnotherNode) {
  Write(Pair("kubernetes-admin", std::chrono::hours(1)));
  EXPECT_THAT(base::MessageOf([&] { CollectFound(made_.fake.host, ""); }),
              HasSubstr("which is not a node"));
}

TEST_F(RecoverTest, TheCaOnThisNodeSigns) {
  Write(Pair("system:node:w1", -std::chrono::hours(1)));
  const Found before = CollectFound(made_.fake.host, "");
  const host::fs::path directory = RunUntilRestart(before).directory;
  EXPECT_TRUE(files_.Exists(directory.string() + kConf));
  EXPECT_TRUE(files_.Exists(directory.string() + kRotated));
  EXPECT_FALSE(files_.Exists(kRotated));
  const Found after = CollectFound(made_.fake.host, "");
  EXPECT_EQ(after.problem, std::nullopt);
  EXPECT_EQ(after.node, "w1");
  EXPECT_EQ(after.config->CurrentCluster()->server, "https://a:6443");
  EXPECT_TRUE(after.unfinished) << "the kubelet has not been restarted";
}

TEST_F(RecoverTest, ChoosesThePlanFromTheFacts) {
  Found found;
  EXPECT_EQ(PlanFor(found, false, {}), Plan::kNothing);
  EXPECT_EQ(PlanFor(found, true, {}), Plan::kNewCertificate);
  found.unfinished = true;
  EXPECT_EQ(PlanFor(found, false, {}), Plan::kRestart);
  EXPECT_EQ(PlanFor(found, true, {}), Plan::kNewCertificate);
  EXPECT_THAT(ToString(Plan::kRestart, found, {}), HasSubstr("an earlier run was interrupted"));
  found.problem = "it is gone";
  EXPECT_EQ(PlanFor(found, false, {}), Plan::kNewCertificate);
}

TEST_F(RecoverTest, ResumesWithTheRestart) {
  Write(Pair("system:node:w1", -std::chrono::hours(1)));
  const engine::Journal journal = RunUntilRestart(CollectFound(made_.fake.host, ""));
  EXPECT_TRUE(journal.HasDone("certificate"));
  const Found found = CollectFound(made_.fake.host, "");
  EXPECT_EQ(PlanFor(found, true, journal), Plan::kRestart) << "--force has had its effect";
  EXPECT_TRUE(JournalFor(Plan::kRestart, found, journal));
  EXPECT_TRUE(JournalFor(Plan::kNothing, found, journal)) << "it is removed";
}

TEST_F(RecoverTest, IssuesALostCertificateAgainAfterAnInterruption) {
  Write(Pair("system:node:w1", -std::chrono::hours(1)));
  const engine::Journal journal = RunUntilRestart(CollectFound(made_.fake.host, ""));
  Write(Pair("system:node:w1", -std::chrono::hours(1)));
  const Found found = CollectFound(made_.fake.host, "");
  EXPECT_EQ(PlanFor(found, false, journal), Plan::kNewCertificate);
  EXPECT_FALSE(JournalFor(Plan::kNewCertificate, found, journal));
  EXPECT_FALSE(JournalFor(Plan::kRestart, CollectFound(made_.fake.host, "w2"), journal));
}

TEST_F(RecoverTest, AfterTheRestartKubeletConfNamesTheKubeletsOwnPair) {
  RestartWhenRenewedAt("2026-01-01T00:00:00.000001Z");
  EXPECT_THAT(made_.fake.processes.changes(), testing::Contains("systemctl restart kubelet"));
  EXPECT_THAT(files_.Read(kConf), HasSubstr(std::string("client-certificate: ") + kRotated));
}

TEST_F(RecoverTest, IgnoresALeaseThatTheOldKubeletRenewedInTheSameSecond) {
  made_.fake.clock.Advance(std::chrono::milliseconds(900));
  EXPECT_THAT(base::MessageOf([&] { RestartWhenRenewedAt("2026-01-01T00:00:00.800000Z"); }),
              HasSubstr("has not been renewed since 2026-01-01T00:00:00.800000Z"));
  EXPECT_TRUE(CollectFound(made_.fake.host, "w1").unfinished);
}

TEST_F(RecoverTest, TakesTheServerFromTheManifestWithoutAKubeconfig) {
  files_.Remove(kConf);
  EXPECT_THAT(base::MessageOf([&] { Issue(CollectFound(made_.fake.host, "w1"), With()); }),
              HasSubstr("give a token"));
  files_.Write("/etc/kubernetes/manifests/kube-apiserver.yaml",
               "metadata:\n  annotations:\n    "
               "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 10.0.0.1:6443\n",
               {});
  const Found found = CollectFound(made_.fake.host, "w1");
  RunUntilRestart(found);
  EXPECT_EQ(CollectFound(made_.fake.host, "").config->CurrentCluster()->server,
            "https://10.0.0.1:6443");
}

TEST_F(RecoverTest, AsksAWorkerForAToken) {
  files_.Remove("/etc/kubernetes/pki/ca.key");
  EXPECT_THAT(base::MessageOf([&] { Issue(CollectFound(made_.fake.host, ""), With()); }),
              HasSubstr("kubeadm token create"));
}

}  // namespace
}  // namespace kubelet_recovery
