// SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <functional>

#include "doctor/fake_facts.h"
#include "doctor/judge.h"

namespace doctor {
namespace {

using testing::HasSubstr;

TEST(Judge, NamesTheCertificateFirst) {
  ExpectFirst({
      {"the API server's has expired",
       [](Facts& facts) {
         Certificate(facts, "apiserver").not_after = kNow - seconds(1);
         LoseApi(facts);
         facts.endpoints[0].kind = base::Error::Kind::kUnauthorized;
       },
       "certificate-expired", "apiserver.crt"},
      {"the kubelet's has expired, so it ends",
       [](Facts& facts) {
         Certificate(facts, "kubelet.conf").not_after = kNow - seconds(1);
         facts.kubelet.state = "activating";
         facts.kubelet.unhealthy = "connection refused";
         facts.cluster.nodes[0].ready = false;
       },
       "certificate-expired", "kubelet.conf"},
      {"etcd's has expired",
       [](Facts& facts) {
         Certificate(facts, "etcd-server").not_after = kNow - seconds(1);
         facts.etcd.problem = "certificate has expired";
         Fail(facts, "kube-apiserver", "x509: certificate has expired");
         LoseApi(facts);
       },
       "certificate-expired", "etcd-server.crt"},
      {"a key that all users can read",
       [](Facts& facts) { facts.exposed = {{"/etc/kubernetes/pki/ca.key", 0644}}; }, "key-exposed",
       "ca.key", Severity::kWarning},
      {"one will expire",
       [](Facts& facts) { Certificate(facts, "apiserver").not_after = kNow + seconds(86'400); },
       "certificate-expires-soon", "apiserver.crt", Severity::kWarning},
      {"one is of the future",
       [](Facts& facts) { Certificate(facts, "apiserver").not_before = kNow + seconds(86'400); },
       "certificate-not-valid-yet", "apiserver.crt"},
      {"one is another CA's",
       [](Facts& facts) { Certificate(facts, "apiserver").chain_problem = "unknown issuer"; },
       "certificate-of-another-ca", "apiserver.crt"},
      {"all are another CA's: it is the CA that was changed",
       [](Facts& facts) {
         for (const char* name : {"apiserver", "apiserver-kubelet-client", "kubelet.conf"}) {
           Certificate(facts, name).chain_problem = "unknown issuer";
         }
         for (KubeconfigFact& file : facts.kubeconfigs) {
           file.knows_ca = false;
         }
         Certificate(facts, "ca").key_problem = "another key";
       },
       "ca-replaced", "ca.crt"},
      {"a key that is not its own",
       [](Facts& facts) { Certificate(facts, "apiserver").key_problem = "another key"; },
       "key-mismatch", "apiserver.crt"},
      {"one that is gone",
       [](Facts& facts) {
         CertificateFact& gone = Certificate(facts, "etcd-peer");
         gone = {.name = gone.name, .path = gone.path, .ca = gone.ca, .missing = true};
       },
       "certificate-missing", "etcd-peer.crt"},
      {"one that is garbage",
       [](Facts& facts) { Certificate(facts, "apiserver").problem = "no PEM block"; },
       "certificate-unreadable", "apiserver.crt"},
      {"renewed, but not in use", [](Facts& facts) { facts.endpoints[1].shown_serial = "07"; },
       "certificate-not-in-use", "kube-apiserver", Severity::kWarning},
      {"renewed, and the old one has expired",
       [](Facts& facts) {
         facts.endpoints[1].shown_serial = "07";
         facts.endpoints[1].shown_until = kNow - seconds(1);
       },
       "certificate-not-in-use", "kube-apiserver"},
      {"a kubeconfig that trusts another CA",
       [](Facts& facts) {
         facts.kubeconfigs[1].knows_ca = false;
         facts.cluster.nodes[0].ready = false;
       },
       "kubeconfig-wrong-ca", "kubelet.conf"},
      {"a kubeconfig that is gone",
       [](Facts& facts) {
         facts.kubeconfigs[1].missing = true;
         facts.kubelet.state = "activating";
       },
       "kubeconfig-missing", "kubelet.conf"},
      {"a token that expired before the node had joined",
       [](Facts& facts) {
         facts.kubeconfigs[1].missing = true;
         facts.bootstrap = {.there = true, .token_id = "abcdef", .refused = true};
         facts.kubelet.state = "activating";
         facts.kubelet.restarts = 3;
       },
       "bootstrap-token-refused", "abcdef"},
  });
}

// Returns the remedy in the finding about `culprit`.
std::string RemedyOf(const std::string& culprit, const std::function<void(Facts&)>& harm) {
  Facts facts = Healthy();
  harm(facts);
  for (const checks::Finding& finding : Judge(facts)) {
    if (finding.subject.ends_with(culprit)) {
      return finding.remedy;
    }
  }
  return "";
}

TEST(Judge, AdvisesNoDestructiveRemedy) {
  const auto expire = [](const char* name) {
    return [name](Facts& facts) { Certificate(facts, name).not_after = kNow - seconds(1); };
  };
  const auto spoil = [](const char* name, Role role) {
    return [=](Facts& facts) {
      facts.role = role;
      Certificate(facts, name).problem = "no PEM block";
    };
  };
  const auto lose_kubelet_conf = [](Facts& facts) {
    facts.role = Role::kWorker;
    facts.kubeconfigs[1].missing = true;
  };
  EXPECT_EQ(RemedyOf("kubelet.conf.crt", expire("kubelet.conf")), "kubeadm node recover");
  EXPECT_THAT(RemedyOf("/ca.crt", expire("ca")), HasSubstr("certs rotate-ca kubernetes"));
  EXPECT_THAT(RemedyOf("/front-proxy-ca.crt",
                       [&](Facts& facts) {
                         facts.certificates.push_back(Ca("front-proxy-ca"));
                         facts.certificates.back().not_after = kNow;
                       }),
              HasSubstr("certs rotate-ca front-proxy"));
  EXPECT_THAT(RemedyOf("apiserver.crt", expire("apiserver")),
              HasSubstr("renew apiserver --restart"));
  EXPECT_THAT(RemedyOf("apiserver.crt",
                       [&](Facts& facts) {
                         expire("apiserver")(facts);
                         expire("etcd-server")(facts);
                       }),
              HasSubstr("on every control-plane node: kubeadm certs renew all;"));
  EXPECT_THAT(RemedyOf("/ca.crt", spoil("ca", Role::kControlPlane)), HasSubstr("from a backup"));
  EXPECT_THAT(RemedyOf("/ca.crt", spoil("ca", Role::kWorker)), HasSubstr("kube-root-ca.crt"));
  EXPECT_THAT(RemedyOf("apiserver.crt", spoil("apiserver", Role::kControlPlane)),
              HasSubstr("--config FILE"));
  EXPECT_THAT(RemedyOf("kubelet.conf", lose_kubelet_conf), HasSubstr("node recover --token"));
}

}  // namespace
}  // namespace doctor
