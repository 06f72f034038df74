// SPDX-License-Identifier: Apache-2.0
// The used one-time entries of inventories. A ConfigMap stores them, because a restart must not
// make them valid again.
#pragma once

#include <optional>
#include <string>

#include "judgement/facts.h"
#include "kube/client.h"

namespace inventories {

inline constexpr std::string_view kUsedEntriesName = "cluster-machine-approver-used";

// Records that `user` (judgement::UseIdOf) uses the entry, unless a use is recorded already. Must
// be called before the approval. Returns the recorded user. Throws the errors of kube::Transport.
std::string RecordUse(kube::Transport& transport, const std::string& name_space,
                      const judgement::Machine& entry, const std::string& user,
                      const std::stop_token& stop);

// Returns the recorded user of the entry; std::nullopt for an unused entry. Throws the errors of
// kube::Transport.
std::optional<std::string> UsedBy(kube::Transport& transport, const std::string& name_space,
                                  const judgement::Machine& entry, const std::stop_token& stop);

}  // namespace inventories
