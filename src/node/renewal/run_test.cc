// SPDX-License-Identifier: Apache-2.0
#include "renewal/run.h"

#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "certs/fake_context.h"
#include "kube/kubeconfig.h"
#include "renewal/pending_restart.h"

namespace renewal {
namespace {

using std::chrono::hours;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

class RenewalRunTest : public testing::Test {
 protected:
  RenewalRunTest() {
    context_.MakeAll();
    // At this time, the certificates, which are valid for a year, have a month left.
    context_.fake.clock.Set(certs::FakeContext::kStart + hours(24 * 335));
  }

  RunContext Context() {
    return {.host = context_.fake.host, .reporter = reporter_, .config = context_.config};
  }
  RunResult Renew(const RunOptions& options) {
    return renewal::Run(ManagedRows(context_.config.cluster), options, Context());
  }

  certs::FakeContext context_;
  std::vector<std::string> said_;
  std::vector<std::string> phases_;  // the phases that have begun
  workflow::Reporter reporter_{
      context_.fake.clock, {[this](const workflow::Event& event) {
        if (const auto* message = std::get_if<workflow::event::Message>(&event.what)) {
          said_.push_back(message->text);
        } else if (const auto* phase = std::get_if<workflow::event::PhaseStarted>(&event.what)) {
          phases_.push_back(phase->phase);
        }
      }}};
};

TEST_F(RenewalRunTest, APlanChangesNothing) {
  const std::size_t writes = context_.fake.files.written().size();
  const std::string manifest = "/etc/kubernetes/manifests/kube-apiserver.yaml";
  context_.fake.files.Write(manifest, "kind: Pod\n", {});
  const RunResult result =
      renewal::Plan(ManagedRows(context_.config.cluster), {.restart = true}, Context());
  EXPECT_EQ(context_.fake.files.written().size(), writes + 1);
  EXPECT_THAT(result.restarted, ElementsAre("kube-apiserver"));
  EXPECT_THAT(result.RenewedNames(), Contains("apiserver"));
  EXPECT_EQ(said_.back(), "kube-apiserver would be restarted");
}

TEST_F(RenewalRunTest, APlanWithoutRestartsRestartsNothing) {
  context_.fake.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", "kind: Pod\n", {});
  const RunResult result = renewal::Plan(ManagedRows(context_.config.cluster), {}, Context());
  EXPECT_THAT(result.restarted, IsEmpty());
  EXPECT_TRUE(result.planned);
  EXPECT_FALSE(result.restart_is_left) << "nothing has been renewed";
  EXPECT_THAT(said_, SizeIs(result.rows.size()));
  EXPECT_THAT(phases_, IsEmpty());
}

TEST_F(RenewalRunTest, SkipsCertificatesThatAreNotDue) {
  EXPECT_THAT(Renew({.within = hours(24 * 29)}).RenewedNames(), IsEmpty());
  const RunResult all = Renew({.within = hours(24 * 31)});
  EXPECT_THAT(all.RenewedNames(), ElementsAre("apiserver", "apiserver-etcd-client",
                                              "apiserver-kubelet-client", "etcd-healthcheck-client",
                                              "etcd-peer", "etcd-server", "front-proxy-client"));
  EXPECT_THAT(phases_, ElementsAre("renew", "renew"));
}

TEST_F(RenewalRunTest, RenewsNoCertificateIfEtcdMustNotRestart) {
  context_.fake.files.Write("/etc/kubernetes/manifests/etcd.yaml", "kind: Pod\n", {});
  const std::string before = context_.Text("etcd/peer.crt");
  const auto problem = base::MessageOf([&] {
    renewal::Run(
        ManagedRows(context_.config.cluster), {.restart = true},
        {.host = context_.fake.host,
         .reporter = reporter_,
         .config = context_.config,
         .etcd_restart_problem = [] { return std::optional<std::string>("two are away"); }});
  });
  EXPECT_EQ(problem, "nothing has been renewed: two are away");
  EXPECT_EQ(context_.Text("etcd/peer.crt"), before);
}

TEST_F(RenewalRunTest, RefusesKeysThatAKubeletCannotUse) {
  std::size_t queries = 0;
  RunContext context = Context();
  context.kubelet_key_problem = [&queries] {
    ++queries;
    return std::optional<std::string>("the kubelet of node worker is of v1.37.2");
  };
  const auto run = [&](const Rows& rows, auto act) {
    return base::MessageOf([&] { act(rows, RunOptions{}, context); });
  };
  const Rows all = ManagedRows(context_.config.cluster);
  const std::string before = context_.Text("apiserver.crt");
  EXPECT_EQ(run(all, renewal::Plan), "") << "the keys stay of ECDSA-P256";
  context_.config.cluster.encryption_algorithm = "ML-DSA-65";
  EXPECT_EQ(run({&certs::FindRenewable("front-proxy-client")}, renewal::Run), "")
      << "no kubelet verifies it";
  EXPECT_EQ(queries, 0);
  for (const auto act : {renewal::Plan, renewal::Run}) {
    EXPECT_THAT(run(all, act),
                StartsWith("nothing has been renewed, since the new keys would be of "
                           "encryptionAlgorithm ML-DSA-65: the kubelet of node worker is of "
                           "v1.37.2. Upgrade that kubelet first"));
  }
  EXPECT_EQ(context_.Text("apiserver.crt"), before);
  context.kubelet_key_problem = {};
  EXPECT_EQ(run(all, renewal::Run), "");
  context.kubelet_key_problem = [] { return std::optional<std::string>("too old"); };
  EXPECT_EQ(run(all, renewal::Run), "") << "the keys are of that algorithm already";
}

TEST_F(RenewalRunTest, RenewsNothingWithoutARunningKubelet) {
  context_.fake.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", "kind: Pod\n", {});
  const std::string before = context_.Text("apiserver.crt");
  const auto run = [&](RunOptions options) {
    return base::MessageOf([&] {
      renewal::Run(ManagedRows(context_.config.cluster), options,
                   {.host = context_.fake.host,
                    .reporter = reporter_,
                    .config = context_.config,
                    .require_kubelet = [] { throw base::Error("the kubelet is away"); }});
    });
  };
  EXPECT_THAT(run({.restart = true}),
              StartsWith("nothing has been renewed: the kubelet is away. If the kubelet's own"));
  EXPECT_EQ(context_.Text("apiserver.crt"), before);
  EXPECT_EQ(run({}), "") << "who restarts nothing needs none";
}

TEST_F(RenewalRunTest, FinishesAnInterruptedRenewalThatIsNotDue) {
  const std::string peer = context_.Text("etcd/peer.crt");
  context_.Write("etcd/peer.crt.new", peer);
  context_.Remove("etcd/peer.crt");
  EXPECT_THAT(Renew({.within = hours(1)}).RenewedNames(), IsEmpty());
  EXPECT_EQ(context_.Text("etcd/peer.crt"), peer);
}

TEST_F(RenewalRunTest, RestartsTheUsersOfCertificatesThatAnInterruptedRunRenewed) {
  context_.Write("etcd/ca.key", "garbage");
  EXPECT_THAT(base::MessageOf([&] { Renew({.restart = true}); }), HasSubstr("renewed: apiserver;"));
  EXPECT_THAT(LoadPendingRestart(context_.fake.files), Contains("apiserver"));
  context_.fake.files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml", "kind: Pod\n", {});
  const Rows rows = ManagedRows(context_.config.cluster);
  const RunResult planned = renewal::Plan(rows, {.within = hours(1), .restart = true}, Context());
  EXPECT_THAT(planned.RenewedNames(), IsEmpty());
  EXPECT_THAT(planned.restarted, ElementsAre("kube-apiserver"));
  EXPECT_THAT(said_, Contains(HasSubstr("An interrupted run renewed certificates")));
  RunContext without_kubelet = Context();
  without_kubelet.require_kubelet = [] { throw base::Error("the kubelet is away"); };
  EXPECT_THAT(base::MessageOf([&] {
                renewal::Run(rows, {.within = hours(1), .restart = true}, without_kubelet);
              }),
              HasSubstr("the kubelet is away"));
  EXPECT_THAT(LoadPendingRestart(context_.fake.files), Contains("apiserver"));
}

TEST_F(RenewalRunTest, RemovesAPendingRestartOnlyAfterTheRestart) {
  SavePendingRestart(context_.fake.files, {"apiserver"});
  Renew({.within = hours(1)});
  EXPECT_THAT(LoadPendingRestart(context_.fake.files), ElementsAre("apiserver"))
      << "a run without restarts";
  Renew({.within = hours(1), .restart = true});
  EXPECT_THAT(LoadPendingRestart(context_.fake.files), IsEmpty());
  EXPECT_FALSE(context_.fake.files.Exists(kPendingRestartFile));
}

TEST_F(RenewalRunTest, RefusesAnUnknownRecordOfAPendingRestart) {
  for (const char* content :
       {"{", "[]", "{}", R"({"version": 2, "certificates": []})",
        R"({"version": 1, "certificates": ["x"]})", R"({"version": 1, "more": 1})"}) {
    context_.fake.files.Write(kPendingRestartFile, content, {});
    EXPECT_THAT(base::MessageOf([&] { LoadPendingRestart(context_.fake.files); }),
                StartsWith("/var/lib/slipway/certs-renew-restart.json is not a list"))
        << content;
  }
}

TEST_F(RenewalRunTest, NamesCertificatesRenewedBeforeAFailure) {
  context_.Write("etcd/ca.key", "garbage");
  const std::string error = base::MessageOf([&] { Renew({}); });
  EXPECT_THAT(error, StartsWith("cannot renew apiserver-etcd-client (renewed: apiserver; not "
                                "renewed: apiserver-etcd-client, apiserver-kubelet-client, "));
  EXPECT_THAT(
      base::MessageOf([&] { renewal::Plan(ManagedRows(context_.config.cluster), {}, Context()); }),
      Not(HasSubstr("(renewed")))
      << "a plan renews nothing";
  const auto one = base::MessageOf(
      [&] { renewal::Run({&certs::FindRenewable("apiserver-etcd-client")}, {}, Context()); });
  EXPECT_THAT(one, StartsWith("cannot renew apiserver-etcd-client: "));
}

TEST_F(RenewalRunTest, ReportsEachRowWhenItIsDone) {
  const RunResult result = Renew({});
  EXPECT_THAT(said_, SizeIs(11));
  EXPECT_THAT(said_.front(), StartsWith("MISSING! "));
  EXPECT_EQ(result.rows.front().outcome, certs::RenewalOutcome::kMissing);
  EXPECT_EQ(result.rows[1].outcome, certs::RenewalOutcome::kRenewed);
  EXPECT_THAT(result.restarted, IsEmpty());
  EXPECT_TRUE(result.restart_is_left);
  EXPECT_FALSE(Renew({.within = hours(1)}).restart_is_left);
}

TEST_F(RenewalRunTest, IgnoresUnreadableFilesOfAnExternalCa) {
  context_.Remove("ca.key");
  context_.fake.files.Write("/etc/kubernetes/scheduler.conf", "users: none of ours", {});
  for (const RunOptions& options : {RunOptions{}, RunOptions{.within = hours(24 * 31)}}) {
    const RunResult result = Renew(options);
    const auto row = std::ranges::find_if(
        result.rows, [](const RenewedRow& each) { return each.row->name == "scheduler.conf"; });
    EXPECT_EQ(row->outcome, certs::RenewalOutcome::kExternalCa);
    EXPECT_EQ(row->expires, std::nullopt);
  }
}

TEST_F(RenewalRunTest, NextToExpireIsACertificateThatWasNotRenewed) {
  const certs::Renewable* apiserver = nullptr;
  for (const certs::Renewable* row : ManagedRows(context_.config.cluster)) {
    apiserver = row->name == "apiserver" ? row : apiserver;
  }
  ASSERT_NE(apiserver, nullptr);
  renewal::Run({apiserver}, {}, Context());
  const RunResult result = Renew({.within = hours(1)});
  ASSERT_NE(result.FirstToExpire(), nullptr);
  EXPECT_EQ(result.FirstToExpire()->row->name, "apiserver-etcd-client");
}

// The stored configuration lacks the node's name and address. The node's own files have them.
TEST_F(RenewalRunTest, NamesComeFromTheConfigurationAndTheNodesOwnFiles) {
  host::FakeFiles& files = context_.fake.files;
  const pki::KeyPair ca = certs::LoadCa(files, certs::FakeContext::kDir, "ca");
  const pki::PrivateKey key = context_.Get().new_key();
  const auto sign = [&](const pki::CertificateSpec& spec) {
    return pki::Sign(spec, key.Public(), ca).Pem();
  };
  kube::Kubeconfig kubelet;
  kubelet.clusters["k"] = {.server = "https://10.0.0.1:6443"};
  kubelet.users["u"] = {
      .client_certificate_data =
          sign({.subject = {.common_name = "system:node:real", .organizations = {"system:nodes"}}}),
      .client_key_data = key.Pem()};
  kubelet.contexts["c"] = {.cluster = "k", .user = "u"};
  kubelet.current_context = "c";
  files.Write("/etc/kubernetes/kubelet.conf", kubelet.Text(), {});
  files.Write("/etc/kubernetes/manifests/kube-apiserver.yaml",
              "kind: Pod\nmetadata:\n  annotations:\n    "
              "kubeadm.kubernetes.io/kube-apiserver.advertise-address.endpoint: 10.0.0.9:6443\n",
              {});
  const std::string wrong = sign({.subject = {.common_name = "kube-apiserver"}});
  const auto renewed = [&](bool config_is_default) {
    context_.Write("apiserver.crt", wrong);
    RunContext context = Context();
    context.config_is_default = config_is_default;
    renewal::Run(ManagedRows(context_.config.cluster), {}, context);
    return context_.Certificate("apiserver.crt");
  };
  EXPECT_TRUE(renewed(true).alt_names().empty());
  for (const char* name : {"real", "10.0.0.9", "kubernetes.default.svc", "10.96.0.1"}) {
    EXPECT_TRUE(renewed(false).CoversName(name)) << name;
  }
  EXPECT_FALSE(renewed(false).CoversName("10.20.30.40")) << "of no file of the node";
}

TEST_F(RenewalRunTest, SkipsTheCertificatesOfAnExternalEtcd) {
  context_.config.cluster.etcd.local.reset();
  context_.config.cluster.etcd.external.emplace();
  for (const certs::Renewable* row : ManagedRows(context_.config.cluster)) {
    EXPECT_EQ(row->name.find("etcd"), std::string_view::npos) << row->name;
  }
}

}  // namespace
}  // namespace renewal
