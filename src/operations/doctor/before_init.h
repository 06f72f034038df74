// SPDX-License-Identifier: Apache-2.0
// A machine that is no node yet, as `init` would find it.
#pragma once

#include <vector>

#include "diagnosis/finding.h"
#include "host/host.h"
#include "preflight/report.h"

namespace doctor {

// FindingsBeforeInit runs the checks of `init` with its defaults, looks at how well the machine
// suits (JudgeSuitability), and changes nothing. What would end `init` is a warning, what
// it would warn of a note: nothing is broken where nothing runs. Never throws base::Error: defaults
// that this machine does not give are a finding, too.
std::vector<diagnosis::Finding> FindingsBeforeInit(host::Host& host);

// FindingOf is a check's complaint in the doctor's form.
diagnosis::Finding FindingOf(const preflight::Finding& complaint);

}  // namespace doctor
