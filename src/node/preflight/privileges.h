// SPDX-License-Identifier: Apache-2.0
// The check for root before anything else.
#pragma once

#include <set>
#include <string>

#include "host/host.h"
#include "workflow/plan.h"
#include "workflow/reporter.h"

namespace preflight {

// Fails as phase preflight of the plan would, with IsPrivilegedUser, before any access that only
// root may make. Otherwise the first such access would be the error. Has no effect for root, for a
// plan without that phase, and for an ignored check (`ignored`: names in lower case, or "all"). In
// the last case the phase reports it itself.
void RefuseUnprivileged(host::Host& machine, const workflow::Plan& plan,
                        const std::set<std::string>& ignored, workflow::Reporter& reporter);

}  // namespace preflight
