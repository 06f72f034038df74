// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "doctor/fake_facts.h"
#include "doctor/judge.h"

namespace doctor {
namespace {

TEST(Judge, NamesTheComponentFirst) {
  ExpectFirst({
      {"a kubelet that ends again and again",
       [](Facts& facts) {
         facts.kubelet.state = "activating";
         facts.kubelet.restarts = 5;
         facts.kubelet.unhealthy = "connection refused";
         facts.cluster.nodes[0].ready = false;
       },
       "kubelet-crash-loop", "kubelet"},
      {"a stopped kubelet",
       [](Facts& facts) {
         facts.kubelet.state = "inactive";
         facts.kubelet.unhealthy = "connection refused";
       },
       "kubelet-not-running", "kubelet"},
      {"a configuration that cannot be read",
       [](Facts& facts) {
         facts.kubelet.config.reset();
         facts.kubelet.config_problem = "yaml: line 3";
         facts.kubelet.state = "activating";
       },
       "kubelet-config-invalid", "config.yaml"},
      {"a kubelet that boots no more", [](Facts& facts) { facts.kubelet.enabled = false; },
       "kubelet-not-enabled", "kubelet", Severity::kWarning},
      {"a manifest that was edited, and its component died",
       [](Facts& facts) {
         ManifestOf(facts, "kube-apiserver").as_written = false;
         Fail(facts, "kube-apiserver", "Error: unknown flag: --foo");
         LoseApi(facts);
       },
       "manifest-edited", "kube-apiserver.yaml"},
      {"a manifest that was edited and still runs",
       [](Facts& facts) {
         ManifestFact& manifest = ManifestOf(facts, "kube-scheduler");
         manifest.as_written = false;
         manifest.differences = {{.where = "--v", .wanted = "", .found = "9"}};
       },
       "manifest-edited", "kube-scheduler.yaml", Severity::kWarning},
      {"a manifest that was edited, and nobody finds the API server where it is now",
       [](Facts& facts) {
         LoseApi(facts);
         ManifestOf(facts, "kube-apiserver").as_written = false;
       },
       "manifest-edited", "kube-apiserver.yaml"},
      {"a copy of a manifest beside it",
       [](Facts& facts) {
         facts.strays.push_back(
             {"/etc/kubernetes/manifests/etcd.yaml.backup", components::Component::kEtcd});
       },
       "manifest-stray", "etcd.yaml.backup", Severity::kWarning},
      {"a manifest that is gone",
       [](Facts& facts) {
         ManifestOf(facts, "kube-apiserver").missing = true;
         LoseApi(facts);
       },
       "manifest-missing", "kube-apiserver.yaml"},
      {"a manifest that is not YAML",
       [](Facts& facts) {
         ManifestOf(facts, "etcd").problem = "yaml: line 3";
         Fail(facts, "etcd");
         LoseApi(facts);
       },
       "manifest-invalid", "etcd.yaml"},
      {"an etcd that crashes takes the API server with it",
       [](Facts& facts) {
         Fail(facts, "etcd", "panic: freepages: failed to get all reachable pages");
         Fail(facts, "kube-apiserver", "connection refused");
         LoseApi(facts);
       },
       "component-exits", "etcd"},
      {"a member that is dead while the others go on",
       [](Facts& facts) {
         facts.etcd.members.push_back({.name = "beta",
                                       .problem = "connection refused",
                                       .removal = "'kubeadm etcd remove 2'"});
       },
       "etcd-member-down", "beta", Severity::kWarning},
      {"a node of the control plane that is down",
       [](Facts& facts) {
         facts.etcd.members.push_back({.name = "beta", .problem = "connection refused"});
         facts.endpoints.push_back(Endpoint("https://192.0.2.11:6443", "another"));
         facts.endpoints.back().of_other_node = true;
         facts.endpoints.back().problem = "connection refused";
         facts.cluster.nodes.push_back({.name = "beta", .ready = false});
       },
       "etcd-member-down", "beta", Severity::kWarning},
      {"a member that is missed",
       [](Facts& facts) {
         facts.etcd.members.push_back({.name = "beta", .problem = "connection refused"});
         facts.etcd.quorum = false;
         Fail(facts, "kube-apiserver", "context deadline exceeded");
         LoseApi(facts);
       },
       "etcd-member-down", "beta"},
      {"a member that was restarted without its majority",
       [](Facts& facts) {
         facts.etcd.problem = "does not answer in time";
         facts.unhealthy["etcd"] = R"(status 503: {"health":"false","reason":"RAFT NO LEADER"})";
         LoseApi(facts);
       },
       "etcd-no-leader", "etcd"},
      {"an etcd that is full",
       [](Facts& facts) {
         facts.etcd.members[0].problem = "alarm:NOSPACE";
         facts.etcd.members[0].alarms = {"NOSPACE"};
       },
       "etcd-alarm", "alpha"},
      {"an etcd whose data are damaged",
       [](Facts& facts) {
         facts.etcd.members[0].problem = "alarm:CORRUPT";
         facts.etcd.members[0].alarms = {"memberID:7 alarm:CORRUPT"};
       },
       "etcd-corrupt", "alpha"},
      {"a scheduler that crashes", [](Facts& facts) { Fail(facts, "kube-scheduler", "panic"); },
       "component-exits", "kube-scheduler"},
      {"a component that has no container",
       [](Facts& facts) {
         Fail(facts, "kube-scheduler");
         facts.control_plane.containers.erase("kube-scheduler");
       },
       "component-not-running", "kube-scheduler"},
  });
}

TEST(Judge, AFileFromBeforeTheLastUpgradeIsNotSuspicious) {
  Facts facts = Healthy();
  ManifestOf(facts, "kube-scheduler").as_written = false;
  EXPECT_TRUE(Judge(facts).empty());
  LoseApi(facts);
  for (const Finding& finding : Judge(facts)) {
    EXPECT_NE(finding.id, "manifest-edited");
  }
}

TEST(Judge, ReportsAChangedConfigurationAsANote) {
  Facts facts = Healthy();
  ManifestOf(facts, "kube-apiserver").differences = {{"--v", "2", ""}};
  const Findings findings = Judge(facts);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "manifest-not-of-config");
  EXPECT_EQ(findings[0].evidence, "--v 2 is missing");
}

}  // namespace
}  // namespace doctor
