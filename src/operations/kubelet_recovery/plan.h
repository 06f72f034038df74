// SPDX-License-Identifier: Apache-2.0
// The actions for a kubelet, by the state of its files.
#pragma once

#include <string>

#include "kubelet_recovery/recover.h"

namespace kubelet_recovery {

// kRestart: an earlier run was interrupted before it.
enum class Plan { kNothing, kRestart, kNewCertificate };

// With `force` a valid certificate is replaced, too.
Plan PlanFor(const Found& found, bool force);

// Returns the actions of Act as text.
std::string TextOf(Plan plan, const Found& found, const Recovery& recovery);

// Executes it; for kNothing it only logs that. Throws the errors of Issue, Install and Restart.
void Act(Plan plan, const Found& found, const Recovery& recovery);

}  // namespace kubelet_recovery
