// SPDX-License-Identifier: Apache-2.0
// A machine that is not a node yet, as `init` would find it.
#pragma once

#include "checks/finding.h"
#include "doctor/report.h"
#include "host/host.h"

namespace doctor {

// AddBeforeInit adds to the diagnosis of a machine that is not a node. It runs the checks of `init`
// with its defaults, looks at how well the machine suits (JudgeSuitability), and changes nothing.
// What would end `init` is a warning, what it would warn of a note: nothing is broken where nothing
// runs. Never throws base::Error: defaults that this machine does not give are a finding, too.
void AddBeforeInit(host::Host& host, Diagnosis& diagnosis);

// FindingOf is a check's complaint in the doctor's form.
checks::Finding FindingOf(const checks::Finding& complaint);

}  // namespace doctor
