// SPDX-License-Identifier: Apache-2.0
#include "doctor/judge.h"

#include <algorithm>

namespace doctor {
namespace {

using checks::Severity;

using Rule = void (*)(const Facts& facts, Findings& findings);

// In the order of causes: what a rule judges may be the reason for what the next ones see.
constexpr Rule kRules[] = {JudgeClock,        JudgeDisks,       JudgeRuntime,   JudgeMachine,
                           JudgeCertificates, JudgeKubeconfigs, JudgeKubelet,   JudgeManifests,
                           JudgeEtcd,         JudgeStaticPods,  JudgeEndpoints, JudgeCluster};

// What holds for any machine.
constexpr Rule kRulesOfAnyMachine[] = {JudgeClock, JudgeDisks, JudgeSwitches};

Findings JudgeNoNode(const Facts& facts) {
  Findings findings;
  for (const Rule rule : kRulesOfAnyMachine) {
    rule(facts, findings);
  }
  for (Finding& finding : findings) {
    finding.severity = std::min(finding.severity, Severity::kWarning);  // nothing runs yet
  }
  findings.insert(
      findings.begin(),
      {.id = "no-node",
       .severity = Severity::kNote,
       .subject = facts.machine.hostname,
       .what = "this machine is not a node of a cluster",
       .evidence = "neither /etc/kubernetes nor /var/lib/kubelet holds what kubeadm writes",
       .remedy = "kubeadm init, or kubeadm join"});
  return findings;
}

}  // namespace

Findings Judge(const Facts& facts) {
  if (facts.role == Role::kNone) {
    return JudgeNoNode(facts);
  }
  Findings findings;
  for (const Rule rule : kRules) {
    rule(facts, findings);
  }
  std::ranges::stable_sort(findings, std::ranges::greater{}, &Finding::severity);
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
