// SPDX-License-Identifier: Apache-2.0
// What becomes of the keys that a dry run has made, downloaded or copied and that would vouch in a
// cluster.
#pragma once

#include <optional>
#include <string>

#include "node_steps/data.h"

namespace node_steps {

// DryRun says which dry run ends.
struct DryRun {
  std::string variable;  // of the environment, by which the user names its directory
  bool whole = true;     // the command; else a phase alone, which offers no --keep
};

// SettleCaKeys ends a dry run: the keys of the authorities, of ServiceAccounts and of an external
// etcd that it has written are removed again. They stay where they lie for who has named the
// directory, and with NodeOptions::keep_dry_run_keys. Returns which, as lines for the user; nothing
// when there are none, when a phase alone leaves them, or on the machine itself. Throws base::Error
// for a file that cannot be removed.
std::optional<std::string> SettleCaKeys(NodeData& data, const DryRun& run);

}  // namespace node_steps
