// SPDX-License-Identifier: Apache-2.0
// The check for root, before all other actions.
#pragma once

#include <set>
#include <string>

#include "host/host.h"
#include "workflow/plan.h"
#include "workflow/reporter.h"

namespace preflight {

// Throws the error of check IsPrivilegedUser before the first access that needs root. Otherwise the
// user would see the error of that access. Has no effect for root and for a plan without phase
// preflight. Also has no effect if the check is ignored, which phase preflight reports. `ignored`
// holds names in lower case, or "all".
void RequirePrivileges(host::Host& machine, const workflow::Plan& plan,
                       const std::set<std::string>& ignored, workflow::Reporter& reporter);

}  // namespace preflight
