// SPDX-License-Identifier: Apache-2.0
// The used one-time entries of inventories, stored in a ConfigMap: a restart must not make them
// valid again.
#pragma once

#include <optional>
#include <string>

#include "judgement/facts.h"
#include "kube/client.h"

namespace inventories {

inline constexpr std::string_view kUsedEntriesName = "cluster-machine-approver-used";

// Records, before the approval, that the user (judgement::UseIdOf) uses the entry. Returns the user
// of the entry, which is another user if the entry was used before. Throws base::Error with the
// server's kind if the write fails.
std::string RecordUse(kube::Transport& transport, const std::string& name_space,
                      const judgement::Machine& entry, const std::string& user,
                      const std::stop_token& stop);

// Returns the user of the entry; std::nullopt for an unused entry. Throws base::Error with the
// server's kind if the record cannot be read.
std::optional<std::string> UsedBy(kube::Transport& transport, const std::string& name_space,
                                  const judgement::Machine& entry, const std::stop_token& stop);

}  // namespace inventories
