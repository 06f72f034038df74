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

// Runs the checks of a node, or those of a machine that is not a node. Sorts errors before warnings
// before notes, and each of these by cause, so that the first finding explains those after it. The
// first finding of a machine that is not a node says so; the others are warnings at most there.
Findings Judge(const Facts& facts);

// Returns 0 without errors and warnings, 1 with warnings, 2 with errors.
int ExitStatus(const Findings& findings);

// Returns whether only this machine can reach the address.
bool IsLoopback(const std::string& address);

// Returns the runtime's: from its answer, else from its configuration.
std::string CgroupDriver(const RuntimeFacts& runtime);

// The rules, by file. Each adds its findings.
void JudgeClock(const Facts& facts, Findings& findings);
void JudgeDisks(const Facts& facts, Findings& findings);
void JudgeRuntime(const Facts& facts, Findings& findings);
void JudgeCgroupDriver(const Facts& facts, Findings& findings);
void JudgeSwap(const Facts& facts, Findings& findings);
void JudgeForwarding(const Facts& facts, Findings& findings);
void JudgeBridge(const Facts& facts, Findings& findings);
void JudgeMtu(const Facts& facts, Findings& findings);
void JudgePodsNameServers(const Facts& facts, Findings& findings);

void JudgeClockKept(const Facts& facts, Findings& findings);
void JudgeSync(const Facts& facts, Findings& findings);
void JudgeTwoManagers(const Facts& facts, Findings& findings);  // of cgroups
void JudgeSandboxImage(const Facts& facts, Findings& findings);
void JudgeProcessor(const Facts& facts, Findings& findings);
void JudgeModules(const Facts& facts, Findings& findings);
void JudgeNameServer(const Facts& facts, Findings& findings);
void JudgeSilentServers(const Facts& facts, Findings& findings);

void JudgeCertificates(const Facts& facts, Findings& findings);
void JudgeKubeconfigs(const Facts& facts, Findings& findings);
void JudgeKubelet(const Facts& facts, Findings& findings);
void JudgeManifests(const Facts& facts, Findings& findings);
void JudgeStaticPods(const Facts& facts, Findings& findings);
void JudgeEtcd(const Facts& facts, Findings& findings);
void JudgeEndpoints(const Facts& facts, Findings& findings);
void JudgeCluster(const Facts& facts, Findings& findings);

}  // namespace doctor
