// SPDX-License-Identifier: Apache-2.0
// Checks and prepares a node's new name, or continues a change. Read-only.
#pragma once

#include <string>

#include "base/show_line.h"
#include "host/host.h"
#include "kube/client.h"
#include "node_rename/journal.h"
#include "node_rename/judge.h"

namespace node_rename {

// Returns the facts of this machine. Throws base::Error for a node of the control plane, and after
// an interrupted change to another name.
Facts FactsHere(const host::Host& host, const std::string& to);

// Returns a client of that kubeconfig file. Throws base::Error(kNotFound), with instructions to
// create one, if it does not exist.
kube::Client AsAdministrator(const host::Host& host, const std::string& kubeconfig);

// Returns the journal of the interrupted run here, else a new one, if the checks pass. `say`
// receives notices for the user. Throws base::Error(kInvalid) with all complaints about the name.
Journal JournalOf(kube::Client& client, const host::Files& files, Facts facts,
                  const base::ShowLine& say);

// Returns the planned actions, for humans.
std::string PlanOf(const Journal& journal);

}  // namespace node_rename
