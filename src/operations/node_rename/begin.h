// SPDX-License-Identifier: Apache-2.0
// Whether a new name may begin, or goes on, and what it takes. Only reads.
#pragma once

#include <string>

#include "base/show_line.h"
#include "host/host.h"
#include "kube/client.h"
#include "node_rename/journal.h"
#include "node_rename/judge.h"

namespace node_rename {

// FactsHere are those of this machine. Throws base::Error for a node of the control plane, and
// where a change to another name was cut off.
Facts FactsHere(const host::Host& host, const std::string& to);

// AsAdministrator asks by that kubeconfig file. Throws base::Error(kNotFound), saying how one is
// made, where there is none.
kube::Client AsAdministrator(const host::Host& host, const std::string& kubeconfig);

// JournalOf is that of the run that was cut off here, else a new one, as far as nothing speaks
// against it. `say` gets what the user should know. Throws base::Error(kInvalid) with all that
// speaks against the name.
Journal JournalOf(kube::Client& client, const host::Files& files, Facts facts,
                  const base::ShowLine& say);

// PlanOf is what will be done, for people.
std::string PlanOf(const Journal& journal);

}  // namespace node_rename
