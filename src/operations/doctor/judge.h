// SPDX-License-Identifier: Apache-2.0
// The doctor's judgement: facts in, findings out.
#pragma once

#include <string>
#include <vector>

#include "checks/finding.h"
#include "doctor/facts.h"

namespace doctor {

using checks::Finding;
using checks::Findings;

// Runs the checks of a node, or the checks of a machine that is not a node. Sorts the findings by
// severity, errors first, then by cause, so that the first finding explains the following ones. On
// a machine that is not a node, the first finding says so, and all findings are warnings or notes.
Findings Judge(const Facts& facts);

// Returns 2 if there are errors, 1 if there are warnings, otherwise 0.
int ExitStatus(const Findings& findings);

// Returns the runtime's cgroup driver: the driver in its answer, or else in its configuration.
std::string CgroupDriver(const RuntimeFacts& runtime);

// A rule adds its findings to the list.
using Rule = void(const Facts& facts, Findings& findings);
// Defined in judge_machine.cc:
Rule JudgeUnfinished, JudgeClock, JudgeDisks, JudgeRuntime, JudgeCgroupDriver, JudgeSwap,
    JudgeForwarding, JudgeBridge, JudgeMtu, JudgePodsNameServers;
// Defined in judge_suitability.cc:
Rule JudgeClockKept, JudgeSync, JudgeTwoManagers, JudgeSandboxImage, JudgeProcessor, JudgeModules,
    JudgeNameServer, JudgeSilentServers;
// Defined in judge_certificates.cc:
Rule JudgeCertificates, JudgeKubeconfigs;
// Defined in judge_components.cc:
Rule JudgeKubelet, JudgeManifests, JudgeStaticPods, JudgeEtcd;
// Defined in judge_cluster.cc:
Rule JudgeEndpoints, JudgeCluster;
// Defined in judge_backup.cc:
Rule JudgeBackup;

}  // namespace doctor
