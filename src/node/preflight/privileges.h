// SPDX-License-Identifier: Apache-2.0
// The check for root, before all other actions.
#pragma once

#include <set>
#include <string>

#include "host/host.h"
#include "workflow/plan.h"
#include "workflow/reporter.h"

namespace preflight {

// Fails with IsPrivilegedUser, as the plan's phase preflight would, before the first access that
// requires root. Without this check, the user would see the error of that access. Has no effect for
// root, for a plan without that phase, and for an ignored check (`ignored`: names in lower case, or
// "all"). The phase itself reports an ignored check.
void RefuseUnprivileged(host::Host& machine, const workflow::Plan& plan,
                        const std::set<std::string>& ignored, workflow::Reporter& reporter);

}  // namespace preflight
