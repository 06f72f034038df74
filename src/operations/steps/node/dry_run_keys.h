// SPDX-License-Identifier: Apache-2.0
// Removal of the authorities' keys that a dry run has generated, downloaded or copied.
#pragma once

#include <optional>
#include <string>

#include "steps/node/data.h"

namespace node_steps {

// The finished dry run.
struct DryRun {
  std::string variable;  // the environment variable for the user's directory
  bool whole = true;     // false for a single phase without --keep
};

// At the end of a dry run, removes the keys that it has written: keys of CAs, of service accounts
// and of an external etcd. Keeps them if the user has named the directory, or with
// NodeOptions::keep_dry_run_keys. Returns lines for the user that name the keys.
//
// Returns std::nullopt in a real run, in a dry run without keys, and for a single phase that keeps
// its keys. Throws the errors of host::Files::Remove for a file that cannot be removed.
std::optional<std::string> SettleCaKeys(NodeData& data, const DryRun& run);

}  // namespace node_steps
