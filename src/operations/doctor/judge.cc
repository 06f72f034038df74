// SPDX-License-Identifier: Apache-2.0
#include "doctor/judge.h"

#include <algorithm>
#include <vector>

#include "checks/check.h"

namespace doctor {
namespace {

using checks::Severity;

struct Row {
  const char* id;  // of findings without an id of their own
  unsigned when;
  Rule* judge;
};

constexpr unsigned kAnywhere = checks::kOnNode | checks::kOnMachine;

// The rules have the order of causes: the findings of a rule may explain those of the following
// rules.
constexpr Row kRules[] = {
    {"operation-unfinished", kAnywhere, JudgeUnfinished},
    {"clock", kAnywhere, JudgeClock},
    {"disk", kAnywhere, JudgeDisks},
    {"bridge-not-filtered", checks::kOnMachine, JudgeBridge},
    {"before-init", checks::kOnMachine,
     [](const Facts& facts, Findings& findings) { checks::Append(findings, facts.obstacles); }},
    {"clock-not-kept", checks::kOnMachine, JudgeClockKept},
    {"disk-slow", checks::kOnMachine, JudgeSync},
    {"runtime", checks::kOnNode, JudgeRuntime},
    {"runtime-without-systemd", checks::kOnMachine, JudgeTwoManagers},
    {"cgroup-driver", kAnywhere, JudgeCgroupDriver},
    {"sandbox-image-other", checks::kOnMachine, JudgeSandboxImage},
    {"swap-on", checks::kOnNode, JudgeSwap},
    {"forwarding-off", checks::kOnNode, JudgeForwarding},
    {"bridge-not-filtered", checks::kOnNode, JudgeBridge},
    {"mtu-too-large", checks::kOnNode, JudgeMtu},
    {"processor", checks::kOnMachine, JudgeProcessor},
    {"modules-not-loaded", checks::kOnMachine, JudgeModules},
    {"no-name-server", checks::kOnMachine, JudgeNameServer},
    {"name-server-silent", checks::kOnMachine, JudgeSilentServers},
    {"resolv-conf-loop", kAnywhere, JudgePodsNameServers},
    {"certificate", checks::kOnNode, JudgeCertificates},
    {"kubeconfig", checks::kOnNode, JudgeKubeconfigs},
    {"kubelet", checks::kOnNode, JudgeKubelet},
    {"manifest", checks::kOnNode, JudgeManifests},
    {"etcd", checks::kOnNode, JudgeEtcd},
    {"component", checks::kOnNode, JudgeStaticPods},
    {"endpoint", checks::kOnNode, JudgeEndpoints},
    {"cluster", checks::kOnNode, JudgeCluster},
    {"backup", checks::kOnNode, JudgeBackup},
    {"before-init", checks::kOnMachine,
     [](const Facts& facts, Findings& findings) { checks::Append(findings, facts.of_init); }}};

// Returns the checks, which the facts must outlive.
std::vector<checks::Check> ChecksOf(const Facts& facts) {
  std::vector<checks::Check> checks;
  for (const Row& row : kRules) {
    checks.push_back({.id = row.id,
                      .when = row.when,
                      .judge = [&facts, judge = row.judge](const std::stop_token&) {
                        Findings findings;
                        judge(facts, findings);
                        return findings;
                      }});
  }
  return checks;
}

// Makes errors warnings on a machine that is not a node: no component runs yet, so none is broken.
void Soften(const Facts& facts, Findings& findings) {
  for (Finding& finding : findings) {
    finding.severity = std::min(finding.severity, Severity::kWarning);
  }
  findings.insert(findings.begin(),
                  {.id = "no-node",
                   .severity = Severity::kNote,
                   .subject = facts.machine.hostname,
                   .what = "this machine is not a node of a cluster",
                   .evidence = "neither /etc/kubernetes nor /var/lib/kubelet has files of kubeadm",
                   .remedy = "kubeadm init, or kubeadm join"});
}

}  // namespace

Findings Judge(const Facts& facts) {
  const bool is_node = facts.role != Role::kNone;
  Findings findings = checks::Judge(
      checks::Select(ChecksOf(facts), is_node ? checks::kOnNode : checks::kOnMachine));
  if (!is_node) {
    Soften(facts, findings);
  }
  std::ranges::stable_sort(findings.begin() + (is_node ? 0 : 1), findings.end(),
                           std::ranges::greater{}, &Finding::severity);
  return findings;
}

int ExitStatus(const Findings& findings) {
  Severity worst = Severity::kNote;
  for (const Finding& finding : findings) {
    worst = std::max(worst, finding.severity);
  }
  return static_cast<int>(worst);
}

}  // namespace doctor
