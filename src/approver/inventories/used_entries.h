// SPDX-License-Identifier: Apache-2.0
// Which one-time entries of inventories have vouched, kept in a ConfigMap: a restart must not make
// them new.
#pragma once

#include <optional>
#include <string>

#include "judgement/facts.h"
#include "kube/client.h"

namespace inventories {

inline constexpr std::string_view kUsedEntriesName = "cluster-machine-approver-used";

// RecordUse writes, before the approval, that the entry vouches for the request, and returns for
// which request it does: another one when it has vouched before. Throws base::Error when it cannot
// be written.
std::string RecordUse(kube::Transport& transport, const std::string& name_space,
                      const judgement::Machine& entry, const std::string& uid,
                      const std::stop_token& stop);

// UsedBy is the UID of the request that used the entry; nothing while none has. Throws base::Error
// when it cannot be read.
std::optional<std::string> UsedBy(kube::Transport& transport, const std::string& name_space,
                                  const judgement::Machine& entry, const std::stop_token& stop);

}  // namespace inventories
