// SPDX-License-Identifier: Apache-2.0
#include "doctor/judge.h"

#include <gtest/gtest.h>

#include "doctor/fake_facts.h"

namespace doctor {
namespace {

TEST(Judge, FindsNothingOnAHealthyNode) {
  const Findings findings = Judge(Healthy());
  EXPECT_TRUE(findings.empty()) << findings.front().Text();
  EXPECT_EQ(ExitStatus(findings), 0);
}

TEST(Judge, NotesAreNotErrors) {
  Facts facts = Healthy();
  facts.cluster.certs_uploaded = false;
  facts.cluster.tokens.clear();
  const Findings findings = Judge(facts);
  ASSERT_EQ(findings.size(), 2U);
  EXPECT_EQ(findings[0].id, "no-token");
  EXPECT_EQ(findings[1].id, "certs-not-uploaded");
  EXPECT_EQ(ExitStatus(findings), 0);
}

TEST(Judge, ReportsAMachineThatIsNotANode) {
  const Findings findings = Judge(Facts{.now = kNow});
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "no-node");
  EXPECT_EQ(ExitStatus(findings), 0);
}

TEST(Judge, ADefectOfAMachineOutsideAClusterIsAWarning) {
  const std::vector<std::pair<std::function<void(MachineFacts&)>, std::string>> cases = {
      {[](MachineFacts& machine) { machine.disks = {{.path = "/var/lib", .total = kGib}}; },
       "disk-full"},
      {[](MachineFacts& machine) {
         machine.disks = {{.path = "/", .total = kGib, .available = kGib / 25}};
       },
       "disk-nearly-full"},
      {[](MachineFacts& machine) {
         machine.switches = {{"net/bridge/bridge-nf-call-iptables", "0"}};
       },
       "bridge-not-filtered"},
      {[](MachineFacts& machine) {
         machine.newest = kNow + std::chrono::hours(2);
         machine.newest_what = "/var/log/syslog was written";
       },
       "clock-behind"}};
  for (const auto& [change, id] : cases) {
    Facts facts{.now = kNow};
    change(facts.machine);
    const Findings findings = Judge(facts);
    ASSERT_EQ(findings.size(), 2U) << id;
    EXPECT_EQ(findings[0].id, "no-node");
    EXPECT_EQ(findings[1].id, id);
    EXPECT_EQ(findings[1].severity, Severity::kWarning) << id;
  }
}

TEST(Judge, LeavesTheChecksOfInitToInit) {
  Facts facts{.now = kNow};
  facts.machine.switches = {{"net/ipv4/ip_forward", "0"}};
  facts.machine.swaps = {"/dev/sda2"};
  EXPECT_EQ(Judge(facts).size(), 1U);
}

TEST(Judge, JudgesOnlyThePartsThatAWorkerHas) {
  Facts facts = Healthy();
  facts.role = Role::kWorker;
  facts.manifests.clear();
  facts.control_plane = {};
  facts.etcd = {};
  facts.certificates = {Ca("ca"), Leaf("kubelet.conf")};
  facts.kubeconfigs.erase(facts.kubeconfigs.begin());
  facts.endpoints.pop_back();
  EXPECT_TRUE(Judge(facts).empty());
  {
    Facts changed = facts;
    Certificate(changed, "kubelet.conf").chain_problem = "unknown issuer";
    changed.kubeconfigs[0].knows_ca = false;
    EXPECT_EQ(Judge(changed).at(0).id, "ca-replaced");
  }
  LoseApi(facts);
  const Findings findings = Judge(facts);
  ASSERT_EQ(findings.size(), 1U);
  EXPECT_EQ(findings[0].id, "endpoint-unreachable");
}

}  // namespace
}  // namespace doctor
