// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "doctor/fake_facts.h"
#include "doctor/judge.h"

namespace doctor {
namespace {

TEST(Judge, NamesTheCauseInTheClusterFirst) {
  ExpectFirst({
      {"an endpoint that does not answer, while this node's API server does",
       [](Facts& facts) {
         facts.endpoints[0].problem = "connection timed out";
         facts.endpoints[0].kind = base::Error::Kind::kTimeout;
       },
       "endpoint-unreachable", "api.example"},
      {"a name that nobody knows",
       [](Facts& facts) {
         facts.endpoints[0].problem = "no such host";
         facts.endpoints[0].kind = base::Error::Kind::kNotFound;
         facts.cluster.nodes[0].ready = false;
       },
       "endpoint-unreachable", "api.example"},
      {"somebody else answers there",
       [](Facts& facts) {
         facts.endpoints[0].problem = "certificate not trusted";
         facts.endpoints[0].kind = base::Error::Kind::kUnauthorized;
       },
       "endpoint-not-trusted", "api.example"},
      {"a user that is not known", [](Facts& facts) { facts.endpoints[0].logged_in = false; },
       "credentials-refused", "admin.conf"},
      {"the configuration is gone",
       [](Facts& facts) { facts.cluster.missing_maps = {"kube-system/kubeadm-config"}; },
       "kubeadm-config-missing", "kubeadm-config"},
      {"cluster-info is gone",
       [](Facts& facts) { facts.cluster.missing_maps = {"kube-public/cluster-info"}; },
       "cluster-info-missing", "cluster-info"},
      {"the configuration is garbage",
       [](Facts& facts) { facts.cluster.broken_maps = {"kubeadm-config: yaml: line 1"}; },
       "kubeadm-config-invalid", "kubeadm-config"},
      {"the node was deleted", [](Facts& facts) { facts.cluster.nodes[0].name = "beta"; },
       "node-missing", "alpha"},
      {"another node is down",
       [](Facts& facts) { facts.cluster.nodes.push_back({.name = "beta", .ready = false}); },
       "other-node-not-ready", "beta", Severity::kWarning},
      {"a Pod that crashes",
       [](Facts& facts) { facts.cluster.failing_pods = {{"coredns-x", "CrashLoopBackOff", "y"}}; },
       "pod-failing", "coredns-x", Severity::kWarning},
      {"the rule that defeats bound tokens is back",
       [](Facts& facts) { facts.cluster.blanket_rule = "kubeadm:node-autoapprove-bootstrap"; },
       "tokens-not-bound", "kubeadm:node-autoapprove-bootstrap"},
      {"the published CA of kubelets is an old one",
       [](Facts& facts) { facts.cluster.kubelet_trust[0].pins = {"sha256:old"}; },
       "kubelet-trust-stale", "the bundle"},
      {"a token that has expired",
       [](Facts& facts) { facts.cluster.tokens[0].expires = kNow - seconds(1); }, "token-expired",
       "abcdef", Severity::kWarning},
  });
}

}  // namespace
}  // namespace doctor
