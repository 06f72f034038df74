// The phases of `kubeadm reset` (reference: phases.md §5).
#pragma once

#include <string>
#include <vector>

#include "kubeadm/reset/data.h"
#include "workflow/phase.h"

namespace kubeadm {

using ResetPhase = workflow::Phase<ResetData>;

std::vector<ResetPhase> ResetPhases();

// The bodies, etcd.cc, node.cc, all.cc.
void RemoveEtcdMember(ResetData& data, workflow::Context& context);
void CleanNode(ResetData& data, workflow::Context& context);
// CleanAll takes back rules and links of the network and the user's kubeconfig (reset --all), after
// it has listed them and the user has agreed.
void CleanAll(ResetData& data, workflow::Context& context);

// EmptyFolder empties a folder; what is left becomes a warning.
void EmptyFolder(const fs::path& folder, ResetData& data, workflow::Context& context);

// ResetReport is what the command says at its end: what is left on this machine.
std::string ResetReport(const std::vector<std::string>& leftovers);

}  // namespace kubeadm
