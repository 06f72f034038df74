// SPDX-License-Identifier: Apache-2.0
#include "upgrade_path/path.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include "base/fake_error.h"
#include "releases/releases.h"

namespace upgrade_path {
namespace {

using base::Version;
using control_plane::NodeVersion;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

Version V(std::string_view text) { return Version::Parse(text).value(); }

// Returns the newest known patch of the minor version. Every hop except the last one goes to such a
// patch.
std::string Patch(int minor) {
  return std::string(releases::For(fmt::format("v1.{}.0", minor)).version);
}

PathFacts Facts(std::string_view cluster, std::string_view wanted) {
  const std::string version(cluster);
  return {.node = "one",
          .wanted = V(wanted),
          .cluster = V(cluster),
          .servers = {{"one", version}},
          .kubelets = {{"one", version}, {"worker", version}},
          .stored_api = "kubeadm.k8s.io/v1beta4"};
}

std::vector<std::string> Versions(const PathPlan& plan) {
  std::vector<std::string> versions;
  for (const Hop& hop : plan.hops) {
    versions.push_back(hop.version.TextWithV());
  }
  return versions;
}

std::string ErrorOf(const PathFacts& facts) {
  return base::MessageOf([&] { PlanPath(facts); });
}

TEST(Path, GoesMinorByMinor) {
  EXPECT_THAT(Versions(PlanPath(Facts("v1.34.4", "v1.37.2"))),
              ElementsAre(Patch(35), Patch(36), "v1.37.2"));
  EXPECT_THAT(Versions(PlanPath(Facts("v1.33.13", "v1.35.1"))), ElementsAre(Patch(34), "v1.35.1"));
  EXPECT_THAT(Versions(PlanPath(Facts("v1.36.0", "v1.36.3"))), ElementsAre("v1.36.3"));
  EXPECT_THAT(Versions(PlanPath(Facts("v1.37.2", "v1.37.2"))), IsEmpty());
}

TEST(Path, FinishesAnInterruptedUpgradeFirst) {
  PathFacts facts = Facts("v1.34.4", "v1.37.2");
  facts.cut_off = V("v1.35.2");
  EXPECT_THAT(Versions(PlanPath(facts)), ElementsAre("v1.35.2", Patch(36), "v1.37.2"));
  facts.cluster = V("v1.35.2");  // its API server was replaced already
  EXPECT_THAT(Versions(PlanPath(facts)), ElementsAre("v1.35.2", Patch(36), "v1.37.2"));
  facts.cluster = V("v1.36.3");  // the cluster was upgraded further in between
  EXPECT_THAT(Versions(PlanPath(facts)), ElementsAre("v1.37.2"));
  facts = Facts("v1.37.2", "v1.37.2");
  facts.cut_off = V("v1.37.2");
  EXPECT_THAT(Versions(PlanPath(facts)), ElementsAre("v1.37.2"));
}

TEST(Path, NamesAKubeletThatCannotUseTheRenewedKeys) {
  PathFacts facts = Facts("v1.36.3", "v1.37.2");
  EXPECT_THAT(PlanPath(facts).findings, IsEmpty());
  facts.renewed_keys = "ML-DSA-65";
  const checks::Findings findings = PlanPath(facts).findings;
  ASSERT_THAT(findings, testing::SizeIs(1));
  EXPECT_EQ(findings.front().severity, checks::Severity::kError);
  EXPECT_EQ(findings.front().subject, "v1.37") << "the first hop renews certificates";
  EXPECT_THAT(findings.front().what,
              testing::AllOf(HasSubstr("keys of encryptionAlgorithm ML-DSA-65"),
                             HasSubstr("node one is of v1.36.3"),
                             HasSubstr("--certificate-renewal=false")));
  facts.renewed_keys = "ECDSA-P384";
  EXPECT_THAT(PlanPath(facts).findings, IsEmpty());
}

TEST(Path, RefusesATargetWithoutAPath) {
  EXPECT_THAT(ErrorOf(Facts("v1.34.4", "v1.39.0")),
              HasSubstr("v1.34 to v1.37, and v1.38.0 from v1.38.0-beta.0 on"));
  EXPECT_THAT(ErrorOf(Facts("v1.36.3", "v1.35.4")), HasSubstr("kubeadm upgrade rollback"));
  EXPECT_THAT(ErrorOf(Facts("v1.32.0", "v1.37.2")), HasSubstr("begins at v1.33"));
}

TEST(Path, ThisNodesKubeletFollowsWithTheNewestThatFits) {
  PathFacts facts = Facts("v1.34.4", "v1.37.2");
  facts.own_kubelets = {V("v1.35.3"), V("v1.35.4"), V("v1.35.9"), V("v1.37.2")};
  const PathPlan plan = PlanPath(facts);
  EXPECT_EQ(plan.hops.at(0).own_kubelet, V("v1.35.4"));
  EXPECT_EQ(plan.hops.at(1).own_kubelet, std::nullopt);
  EXPECT_EQ(plan.hops.at(2).own_kubelet, V("v1.37.2"));
  EXPECT_THAT(plan.kubelets_behind, ElementsAre(NodeVersion{"worker", "v1.34.4"}));
}

TEST(Path, ACommandUpgradesTheKubeletToAnyVersion) {
  PathFacts facts = Facts("v1.35.4", "v1.37.2");
  facts.kubelet_command = true;
  const PathPlan plan = PlanPath(facts);
  EXPECT_EQ(plan.hops.at(0).own_kubelet, V(Patch(36)));
  EXPECT_EQ(plan.hops.at(1).own_kubelet, V("v1.37.2"));
}

TEST(Path, UpgradesAKubeletThatWasLeftBehind) {
  PathFacts facts = Facts("v1.37.2", "v1.37.2");
  facts.kubelets = {{"one", "v1.36.3"}};
  facts.kubelet_command = true;
  EXPECT_EQ(PlanPath(facts).kubelet_only, V("v1.37.2"));
  facts.kubelets = {{"one", "v1.37.2"}};
  EXPECT_EQ(PlanPath(facts).kubelet_only, std::nullopt);
}

TEST(Path, KubeletsAreAtMostThreeMinorsBehind) {
  PathFacts facts = Facts("v1.34.4", "v1.37.2");
  facts.kubelets = {{"one", "v1.33.1"}, {"worker", "v1.33.1"}};
  const PathPlan plan = PlanPath(facts);
  EXPECT_THAT(plan.hops.at(1).kubelets_first, IsEmpty());
  EXPECT_THAT(plan.hops.at(2).kubelets_first,
              ElementsAre(NodeVersion{"one", "v1.33.1"}, NodeVersion{"worker", "v1.33.1"}));
  facts.kubelet_command = true;
  EXPECT_THAT(PlanPath(facts).hops.at(2).kubelets_first,
              ElementsAre(NodeVersion{"worker", "v1.33.1"}));
}

TEST(Path, ApiServersDifferByOneMinor) {
  const std::vector<NodeVersion> servers = {{"one", "v1.35.4"}, {"two", "v1.34.4"}};
  EXPECT_THAT(ServersBehind(servers, V("v1.35.4")), IsEmpty());
  EXPECT_THAT(ServersBehind(servers, V("v1.36.3")), ElementsAre(NodeVersion{"two", "v1.34.4"}));
}

// A setting, and the expected text in the plan; "" if no finding is expected.
struct Row {
  const char* name;
  void (*set)(PathFacts& facts);
  const char* wanted;
  bool breaks = true;
};

TEST(Path, ReportsBreakingChanges) {
  const Row rows[] = {
      {"nothing", [](PathFacts&) {}, "", false},
      {"etcd's old flags",
       [](PathFacts& f) { f.etcd_arguments = {{"etcd.local.extraArgs", "experimental-x", "1"}}; },
       "etcd 3.7.0-0 of the hop to v1.37.2 does not know"},
      {"etcd's other flags",
       [](PathFacts& f) { f.etcd_arguments = {{"etcd.local.extraArgs", "snapshot-count", "1"}}; },
       "", false},
      {"etcd's old flags with an etcd that knows them",
       [](PathFacts& f) {
         f.etcd_arguments = {{"etcd.local.extraArgs", "experimental-x", "1"}};
         f.etcd.pinned = "3.6.8-0";
       },
       "", false},
      {"etcd's old flags with a newer etcd than the release's",
       [](PathFacts& f) {
         f.etcd_arguments = {{"etcd.local.extraArgs", "experimental-x", "1"}};
         f.etcd.pinned = "3.7.1-0";
       },
       "etcd 3.7.1-0 of the hop to v1.35."},
      {"etcd's old flags where etcd is not touched",
       [](PathFacts& f) {
         f.etcd_arguments = {{"etcd.local.extraArgs", "experimental-x", "1"}};
         f.etcd.left = "stays";
       },
       "", false},
      {"an etcd that is two minor versions too old", [](PathFacts& f) { f.etcd.runs = "3.4.30-0"; },
       "etcd would go from 3.4.30-0 to 3.6.6-0 with the hop to v1.35."},
      {"an etcd that is one minor version older", [](PathFacts& f) { f.etcd.runs = "3.5.24-0"; },
       "", false},
      {"an admission plugin that goes",
       [](PathFacts& f) {
         f.api_server_arguments = {
             {"apiServer.extraArgs", "enable-admission-plugins", "NodeRestriction,JobValidation"}};
       },
       "has enable-admission-plugins \"JobValidation\", and kube-apiserver of v1.37 has no such"},
      {"runtime-config of a version that goes",
       [](PathFacts& f) {
         f.api_server_arguments = {{"apiServer.extraArgs", "runtime-config",
                                    "api/all=true, scheduling.k8s.io/v1alpha2=true"}};
       },
       "\"scheduling.k8s.io/v1alpha2=true\", and kube-apiserver of v1.37 has no "
       "scheduling.k8s.io/v1alpha2"},
      {"runtime-config of one of its resources, switched off",
       [](PathFacts& f) {
         f.api_server_arguments = {{"apiServer.extraArgs", "runtime-config",
                                    "scheduling.k8s.io/v1alpha1/workloads=false"}};
       },
       "kube-apiserver of v1.36 has no scheduling.k8s.io/v1alpha1"},
      {"runtime-config of what stays",
       [](PathFacts& f) {
         f.api_server_arguments = {
             {"apiServer.extraArgs", "runtime-config", "api/all=true,batch/v1=true"}};
       },
       "", false},
      {"a Corefile that cannot be carried along",
       [](PathFacts& f) {
         f.core_dns.runs = "v1.12.1";
         f.corefile = ".:53 {\n    unheardof\n}\n";
       },
       "cannot migrate from 1.12.1 to 1.14.6: plugin \"unheardof\""},
      {"the same where the check is ignored",
       [](PathFacts& f) {
         f.core_dns.runs = "v1.12.1";
         f.corefile = ".:53 {\n    unheardof\n}\n";
         f.ignored_checks = {"corednsunsupportedplugins"};
       },
       "cannot migrate from 1.12.1 to 1.14.6", false},
      {"a CoreDNS that nobody knows",
       [](PathFacts& f) {
         f.core_dns.runs = "v1.99.0";
         f.corefile = ".:53 {\n    errors\n}\n";
       },
       "1.99.0"},
      {"the kubelet's pause image",
       [](PathFacts& f) {
         f.kubelet_arguments = {{"/etc/default/kubelet", "pod-infra-container-image", "x"}};
       },
       "before its kubelet is upgraded", false},
      {"the pause image of a kubelet that goes along",
       [](PathFacts& f) {
         f.kubelet_arguments = {{"/etc/default/kubelet", "pod-infra-container-image", "x"}};
         f.kubelet_command = true;
       },
       "/etc/default/kubelet has --pod-infra-container-image, which kubelets since v1.35"},
      {"a copy of a manifest",
       [](PathFacts& f) { f.strays = {{.path = "x", .component = components::Component::kEtcd}}; },
       "\"x\" is a second Pod of etcd"},
      {"a node that is behind", [](PathFacts& f) { f.servers = {{"one", "v1.33.2"}}; },
       "the API server of this node is of v1.33.2, and the newest of the cluster of v1.34.4"},
      {"a gate that goes",
       [](PathFacts& f) { f.gates = {{"apiServer.extraArgs", "SidecarContainers", "true"}}; },
       "v1.37 has no such feature gate"},
      {"a gate that is locked",
       [](PathFacts& f) { f.gates = {{"scheduler.extraArgs", "DRAAdminAccess", "false"}}; },
       "v1.36 has it locked to true"},
      {"a gate of kubelets, which stay",
       [](PathFacts& f) {
         f.kubelet_gates = {{"ConfigMap \"kubelet-config\"", "SidecarContainers", "true"}};
       },
       "remove it before a kubelet is upgraded", false},
      {"a gate of kubelets, which go along",
       [](PathFacts& f) {
         f.kubelet_gates = {{"/etc/default/kubelet", "SidecarContainers", "true"}};
         f.kubelet_command = true;
       },
       "v1.37 has no such feature gate: the kubelet would not start"},
      {"objects that cannot be read",
       [](PathFacts& f) { f.objects = {{"workloads", {"scheduling.k8s.io", "v1alpha2"}, 1}}; },
       "\"workloads\" of scheduling.k8s.io/v1alpha2, which v1.37 cannot read"},
      {"what could not be examined",
       [](PathFacts& f) { f.unseen = {"objects of APIs that go: 503"}; },
       "could not be examined: objects of APIs that go: 503"},
      {"an old configuration", [](PathFacts& f) { f.stored_api = "kubeadm.k8s.io/v1beta3"; },
       "first hop stores it as", false},
      {"an API that goes", [](PathFacts& f) { f.requested = {{"ipaddresses.x/v1", 37}}; },
       "ipaddresses.x/v1 from this API server, and v1.37 no longer serves it", false},
      {"an API that stays", [](PathFacts& f) { f.requested = {{"ipaddresses.x/v1", 38}}; }, "",
       false},
      {"a version that is not served",
       [](PathFacts& f) { f.hidden = {{"widgets.example.org", "v1alpha1"}}; },
       "widgets.example.org are stored in version v1alpha1", false},
  };
  for (const Row& row : rows) {
    PathFacts facts = Facts("v1.34.4", "v1.37.2");
    row.set(facts);
    const PathPlan plan = PlanPath(facts);
    EXPECT_EQ(checks::HasErrors(plan.findings), row.breaks) << row.name;
    if (*row.wanted == '\0') {
      EXPECT_THAT(plan.findings, IsEmpty()) << row.name;
    } else {
      ASSERT_EQ(plan.findings.size(), 1) << row.name;
      EXPECT_THAT(plan.findings.front().what, HasSubstr(row.wanted)) << row.name;
    }
  }
}

TEST(Path, ReachesAPreReleaseOfTheNextMinorIfAllowed) {
  PathFacts facts = Facts("v1.34.4", "v1.38.0-beta.0");
  facts.kubelets = {{"one", "v1.34.4"}};
  facts.allowed = {.experimental = true};
  const PathPlan plan = PlanPath(facts);
  EXPECT_THAT(Versions(plan), ElementsAre(Patch(35), Patch(36), Patch(37), "v1.38.0-beta.0"));
  EXPECT_FALSE(checks::HasErrors(plan.findings));
  EXPECT_EQ(plan.hops.back().etcd, "3.7.1-0");
  EXPECT_EQ(plan.hops.back().core_dns, "v1.15.0");
  EXPECT_THAT(plan.hops.back().kubelets_first, ElementsAre(NodeVersion{"one", "v1.34.4"}));
}

// Features that v1.38 removes. The path reports all of them before the first hop, whatever the
// first minor version is.
TEST(Path, ReportsSettingsThatV138Refuses) {
  const Row rows[] = {
      {"a gate that goes",
       [](PathFacts& f) { f.gates = {{"apiServer.extraArgs", "NFTablesProxyMode", "true"}}; },
       "v1.38 has no such feature gate"},
      {"a gate that is locked",
       [](PathFacts& f) { f.gates = {{"apiServer.extraArgs", "EnvFiles", "false"}}; },
       "v1.38 has it locked to true"},
      {"NodeSwap of a kubelet that goes along",
       [](PathFacts& f) {
         f.kubelet_gates = {{"ConfigMap \"kubelet-config\"", "NodeSwap", "true"}};
         f.kubelet_command = true;
       },
       "sets feature gate NodeSwap=true, and v1.38 has no such feature gate"},
      {"GODEBUG of the control plane",
       [](PathFacts& f) { f.control_plane_godebug = {{"scheduler.extraEnvs", "tls3des", "1"}}; },
       "scheduler.extraEnvs has GODEBUG tls3des=1, with which programs of v1.38 do not start"},
      {"GODEBUG with the final value",
       [](PathFacts& f) { f.control_plane_godebug = {{"scheduler.extraEnvs", "tls3des", "0"}}; },
       "", false},
      {"GODEBUG of a kubelet that stays",
       [](PathFacts& f) { f.kubelet_godebug = {{"/etc/default/kubelet", "gotypesalias", "0"}}; },
       "kubelets since v1.38 do not start", false},
      {"GODEBUG of a kubelet that goes along",
       [](PathFacts& f) {
         f.kubelet_godebug = {{"/etc/default/kubelet", "gotypesalias", "0"}};
         f.kubelet_command = true;
       },
       "kubelets since v1.38 do not start"},
      {"a range of IDs that ends too late",
       [](PathFacts& f) {
         f.id_ranges = {{"/etc/subuid", 65536, 4294901760}};
         f.kubelet_command = true;
       },
       "/etc/subuid gives user kubelet 4294901760 IDs from 65536 on"},
      {"a range of IDs that ends in time",
       [](PathFacts& f) {
         f.id_ranges = {{"/etc/subuid", 65536, 4294836224}};
         f.kubelet_command = true;
       },
       "", false},
      {"an API that goes",
       [](PathFacts& f) { f.requested = {{"resourceclaims.resource.k8s.io/v1beta1", 38}}; },
       "resourceclaims.resource.k8s.io/v1beta1 from this API server, and v1.38 no longer serves it",
       false},
  };
  for (const char* from : {"v1.34.4", "v1.37.2"}) {
    for (const Row& row : rows) {
      PathFacts facts = Facts(from, "v1.38.0-beta.0");
      facts.allowed = {.experimental = true};
      row.set(facts);
      const PathPlan plan = PlanPath(facts);
      EXPECT_EQ(checks::HasErrors(plan.findings), row.breaks) << row.name;
      ASSERT_EQ(plan.findings.size(), *row.wanted == '\0' ? 0 : 1) << row.name;
      if (!plan.findings.empty()) {
        EXPECT_THAT(plan.findings.front().what, HasSubstr(row.wanted)) << row.name;
        EXPECT_EQ(plan.findings.front().subject, "v1.38") << row.name;
      }
    }
  }
}

TEST(Path, NamesTheHopAtWhichEtcdsMembersAreTooOld) {
  PathFacts facts = Facts("v1.34.4", "v1.37.2");
  facts.etcd.runs = "3.6.5-0";
  facts.etcd_members = {{"one", "3.6.5-0"}, {"two", "3.6.5-0"}, {"three", "3.6.5-0"}};
  const PathPlan plan = PlanPath(facts);
  ASSERT_EQ(plan.findings.size(), 1);
  EXPECT_EQ(plan.findings.front().subject, "v1.37");
  EXPECT_EQ(plan.findings.front().severity, checks::Severity::kNote);
  EXPECT_THAT(plan.findings.front().what, HasSubstr("asks for 3.6.11 or later"));
  EXPECT_THAT(plan.findings.front().what, HasSubstr("one (3.6.8-0)"));
  facts.etcd_members = {{"one", "3.6.5-0"}};
  EXPECT_THAT(PlanPath(facts).findings, IsEmpty());
  facts.etcd_members = {{"one", "3.6.5-0"}, {"two", "3.6.5-0"}};
  facts.etcd.left = "external";
  EXPECT_THAT(PlanPath(facts).findings, IsEmpty());
}

TEST(Path, ChecksThePolicyBeforeTheFirstHop) {
  struct Case {
    const char* wanted;
    const char* finding;
    upgrade::Unstable allowed = {};
  };
  const Case cases[] = {
      {"v1.37.99", "v1.37.99 is newer than this kubeadm, v1.37."},
      {"v1.37.0-rc.1", "v1.37.0-rc.1 is not a release"},
      {"v1.37.0-rc.1", "", {.release_candidates = true}},
      {"v1.37.0-alpha.1", "--allow-experimental-upgrades", {.release_candidates = true}},
      {"v1.37.0-alpha.1", "", {.experimental = true}},
      {"v1.36.9", ""},
  };
  for (const Case& c : cases) {
    PathFacts facts = Facts("v1.34.4", c.wanted);
    facts.allowed = c.allowed;
    const PathPlan plan = PlanPath(facts);
    const bool silent = *c.finding == '\0';
    EXPECT_EQ(checks::HasErrors(plan.findings), !silent) << c.wanted;
    ASSERT_EQ(plan.findings.empty(), silent) << c.wanted;
    if (!silent) {
      EXPECT_THAT(plan.findings.back().what, HasSubstr(c.finding));
      EXPECT_EQ(plan.findings.back().subject, "v1.37");
    }
  }
}

TEST(Path, HopsSayWhichEtcdAndCoreDnsRunAfterThem) {
  struct Case {
    const char* what;
    void (*set)(PathFacts& facts);
    std::vector<std::string> etcd;
    std::vector<std::string> core_dns;
  };
  const std::vector<std::string> released = {"v1.13.1", "v1.14.2", "v1.14.6"};
  const Case cases[] = {
      {"the releases'", [](PathFacts&) {}, {"3.6.6-0", "3.6.8-0", "3.7.0-0"}, released},
      {"chosen ones",
       [](PathFacts& f) {
         f.etcd = {.pinned = "3.6.5-0", .runs = "3.6.5-0"};
         f.core_dns.pinned = "v1.13.0";
       },
       {"3.6.5-0", "3.6.5-0", "3.6.5-0"},
       {"v1.13.0", "v1.13.0", "v1.13.0"}},
      {"not touched",
       [](PathFacts& f) {
         f.etcd.left = "external";
         f.core_dns.left = "disabled";
       },
       {"external", "external", "external"},
       {"disabled", "disabled", "disabled"}},
      {"newer already",
       [](PathFacts& f) { f.etcd.runs = "3.7.0-0"; },
       {"3.7.0-0", "3.7.0-0", "3.7.0-0"},
       released},
  };
  for (const Case& c : cases) {
    PathFacts facts = Facts("v1.34.4", "v1.37.2");
    c.set(facts);
    std::vector<std::string> etcd;
    std::vector<std::string> core_dns;
    for (const Hop& hop : PlanPath(facts).hops) {
      etcd.push_back(hop.etcd);
      core_dns.push_back(hop.core_dns);
    }
    EXPECT_EQ(etcd, c.etcd) << c.what;
    EXPECT_EQ(core_dns, c.core_dns) << c.what;
  }
}

TEST(Path, IgnoresChangesAfterTheLastHop) {
  PathFacts facts = Facts("v1.34.4", "v1.36.3");
  facts.etcd_arguments = {{"etcd.local.extraArgs", "experimental-x", "1"}};
  facts.gates = {{"apiServer.extraArgs", "SidecarContainers", "true"}};
  EXPECT_THAT(PlanPath(facts).findings, IsEmpty());
}

}  // namespace
}  // namespace upgrade_path
