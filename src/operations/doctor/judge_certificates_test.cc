// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "doctor/fake_facts.h"
#include "doctor/judge.h"

namespace doctor {
namespace {

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

}  // namespace
}  // namespace doctor
