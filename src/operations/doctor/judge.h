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

// Judge sorts what is broken before warnings before notes, and each of these by cause: what others
// rest on comes first, so that the first finding explains those after it. Of a machine that is not
// a node it says so first; nothing is worse than a warning there, and what the checks of `init` say
// (AddBeforeInit) is left to them.
Findings Judge(const Facts& facts);

// ExitStatus is 0 when nothing is broken and there is no warning, 1 with warnings, 2 when something
// is broken.
int ExitStatus(const Findings& findings);

// IsLoopback tells whether only this machine reaches an address.
bool IsLoopback(const std::string& address);

// Rules are the parts of the judgement in the order of causes. Each adds its findings.
void JudgeClock(const Facts& facts, Findings& findings);
void JudgeDisks(const Facts& facts, Findings& findings);
void JudgeMachine(const Facts& facts, Findings& findings);
void JudgeSwitches(const Facts& facts, Findings& findings);  // a part of JudgeMachine
void JudgeRuntime(const Facts& facts, Findings& findings);
void JudgeCertificates(const Facts& facts, Findings& findings);
void JudgeKubeconfigs(const Facts& facts, Findings& findings);
void JudgeKubelet(const Facts& facts, Findings& findings);
void JudgeManifests(const Facts& facts, Findings& findings);
void JudgeStaticPods(const Facts& facts, Findings& findings);
void JudgeEtcd(const Facts& facts, Findings& findings);
void JudgeEndpoints(const Facts& facts, Findings& findings);
void JudgeCluster(const Facts& facts, Findings& findings);

}  // namespace doctor
