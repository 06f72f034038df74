// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "doctor/fake_facts.h"
#include "doctor/judge.h"

namespace doctor {
namespace {

TEST(Judge, NamesTheCauseOfTheMachineFirst) {
  ExpectFirst({
      {"a full disk stops etcd and all above it",
       [](Facts& facts) {
         facts.machine.disks.push_back(
             {.path = "/var/lib/etcd", .total = 10 * kGib, .available = 4096});
         Fail(facts, "etcd", "no space left on device");
         Fail(facts, "kube-apiserver", "connection refused");
         LoseApi(facts);
       },
       "disk-full", "/var/lib/etcd"},
      {"no inodes", [](Facts& facts) { facts.machine.disks[0].inodes = 1'000; }, "disk-full", "/"},
      {"a disk that fills", [](Facts& facts) { facts.machine.disks[0].available = kGib; },
       "disk-nearly-full", "/", Severity::kWarning},
      {"a clock behind the server's makes certificates invalid",
       [](Facts& facts) {
         for (EndpointFact& endpoint : facts.endpoints) {
           endpoint.ahead = seconds(7'200);
           endpoint.problem = "certificate is not yet valid";
           endpoint.kind = base::Error::Kind::kUnauthorized;
         }
         Certificate(facts, "apiserver").not_before = kNow + seconds(3'600);
         facts.cluster = {};
       },
       "clock-off", "clock"},
      {"a clock ahead of the server's",
       [](Facts& facts) { facts.endpoints[0].ahead = facts.endpoints[1].ahead = seconds(-7'200); },
       "clock-off", "clock"},
      {"a clock that is a little off",
       [](Facts& facts) { facts.endpoints[0].ahead = facts.endpoints[1].ahead = seconds(90); },
       "clock-off", "clock", Severity::kWarning},
      {"a clock that was set back, and no server to compare with",
       [](Facts& facts) {
         LoseApi(facts);
         facts.machine.newest = kNow + seconds(7'200);
         facts.machine.newest_what = "a container ended";
       },
       "clock-behind", "clock"},
      {"another node's clock",
       [](Facts& facts) {
         facts.cluster.nodes.push_back(
             {.name = "beta", .ready = true, .renewed = kNow + seconds(7'200)});
       },
       "clock-of-other-node", "beta", Severity::kWarning},
      {"a stopped runtime silences kubelet and containers",
       [](Facts& facts) {
         facts.runtime.problem = "connection refused";
         facts.runtime.service_known = true;
         facts.runtime.service = "containerd";
         facts.kubelet.unhealthy = "connection refused";
         facts.kubelet.state = "activating";
         facts.kubelet.restarts = 4;
         LoseApi(facts);
       },
       "runtime-not-answering", "container runtime"},
      {"a cgroup driver that keeps containers from starting",
       [](Facts& facts) {
         facts.runtime.driver = "cgroupfs";
         Fail(facts, "kube-apiserver", "x");
         LoseApi(facts);
       },
       "cgroup-driver-mismatch", "cgroup driver"},
      {"a cgroup driver that was changed since",
       [](Facts& facts) { facts.runtime.driver = "cgroupfs"; }, "cgroup-driver-mismatch",
       "cgroup driver", Severity::kWarning},
      {"cgroups by a systemd that is not there",
       [](Facts& facts) { facts.machine.has_systemd = false; }, "cgroup-driver-without-systemd",
       "container runtime"},
      {"no network add-on",
       [](Facts& facts) {
         facts.runtime.network_ready = false;
         facts.cluster.nodes[0].ready = false;
       },
       "network-not-ready", "network"},
      {"swap, and a kubelet that died of it",
       [](Facts& facts) {
         facts.machine.swaps = {"/dev/sda2"};
         facts.kubelet.unhealthy = "connection refused";
         facts.kubelet.state = "activating";
       },
       "swap-on", "swap"},
      {"swap that the kubelet has not met yet",
       [](Facts& facts) { facts.machine.swaps = {"/dev/sda2"}; }, "swap-on", "swap",
       Severity::kWarning},
      {"no forwarding", [](Facts& facts) { facts.machine.switches["net/ipv4/ip_forward"] = "0"; },
       "forwarding-off", "net.ipv4.ip_forward"},
      {"packets too large for the tunnel", [](Facts& facts) { facts.machine.links[1].mtu = 1500; },
       "mtu-too-large", "flannel.1", Severity::kWarning},
      {"name servers only for this machine",
       [](Facts& facts) { facts.kubelet.name_servers = {"127.0.0.53"}; }, "resolv-conf-loop",
       "/etc/resolv.conf", Severity::kWarning},
      {"the cluster's DNS asks itself",
       [](Facts& facts) { facts.kubelet.name_servers = {"10.96.0.10"}; }, "resolv-conf-loop",
       "/etc/resolv.conf", Severity::kWarning},
  });
}

TEST(Judge, NamesAnUnfinishedOperationBeforeItsConsequences) {
  Facts facts = Healthy();
  facts.machine.unfinished = {{.name = "restore", .step = "etcd", .journal = "/x.json"}};
  facts.machine.swaps = {"/dev/sda2"};
  const Findings findings = Judge(facts);
  ASSERT_GT(findings.size(), 1);
  EXPECT_EQ(findings.front().id, "operation-unfinished");
  EXPECT_EQ(findings.front().severity, Severity::kError);
  EXPECT_EQ(findings.front().evidence, "the last step is 'etcd', in /x.json");
}

TEST(Judge, AcceptsSwapForAKubeletThatToleratesIt) {
  Facts facts = Healthy();
  facts.machine.swaps = {"/dev/sda2"};
  (*facts.kubelet.config)["failSwapOn"] = false;
  EXPECT_TRUE(Judge(facts).empty());
}

}  // namespace
}  // namespace doctor
