// SPDX-License-Identifier: Apache-2.0
// Who is not root hears of that first.
#pragma once

#include <set>
#include <string>

#include "host/host.h"
#include "workflow/plan.h"
#include "workflow/reporter.h"

namespace preflight {

// RefuseUnprivileged fails as phase preflight of the plan would, with IsPrivilegedUser, before
// anything is read or locked that only root may: otherwise the first such thing would be the error.
// Nothing happens for root, for a plan without that phase, and when the check is ignored
// (`ignored`: names in lower case, or "all"); then the phase says so itself.
void RefuseUnprivileged(host::Host& machine, const workflow::Plan& plan,
                        const std::set<std::string>& ignored, workflow::Reporter& reporter);

}  // namespace preflight
