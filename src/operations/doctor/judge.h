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

// Judge runs the checks of a node, or those of a machine that is not a node, and sorts what is
// broken before warnings before notes, and each of these by cause: what others rest on comes first,
// so that the first finding explains those after it. Of a machine that is not a node it says so
// first; nothing is worse than a warning there.
Findings Judge(const Facts& facts);

// ExitStatus is 0 when nothing is broken and there is no warning, 1 with warnings, 2 when something
// is broken.
int ExitStatus(const Findings& findings);

// IsLoopback returns whether only this machine reaches an address.
bool IsLoopback(const std::string& address);

// CgroupDriver is the runtime's: as it says, else as its configuration does.
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
