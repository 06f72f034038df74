// SPDX-License-Identifier: Apache-2.0
// What is done for a kubelet, by what was found.
#pragma once

#include <string>

#include "kubelet_recovery/recover.h"

namespace kubelet_recovery {

// Plan is what to do. kRestart: an earlier run was cut off before it.
enum class Plan { kNothing, kRestart, kNewCertificate };

// PlanFor: with `force` a good certificate is replaced, too.
Plan PlanFor(const Found& found, bool force);

// TextOf says what Act would do.
std::string TextOf(Plan plan, const Found& found, const Recovery& recovery);

// Act does it; for kNothing it only says so. Throws what Issue, Install and Restart throw.
void Act(Plan plan, const Found& found, const Recovery& recovery);

}  // namespace kubelet_recovery
