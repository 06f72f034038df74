// SPDX-License-Identifier: Apache-2.0
// Flags and options that commands share.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/flags.h"
#include "config/facts.h"
#include "config/types.h"
#include "host/host.h"
#include "steps/world.h"

namespace kubeadm {

// Returns the rows of the flags `names`, in this order. Several commands have these flags, with the
// same texts. Throws std::logic_error for any other name.
std::vector<cli::Flag> CommonFlags(std::initializer_list<std::string_view> names);

// Returns a flag that is on or off, and off by default.
cli::Flag Switch(std::string name, std::string help);

// KeepFlag returns the flag --keep, which keeps files that a dry run would remove from its
// directory.
cli::Flag KeepFlag();

// Sorts a table of flags, as in help.
std::vector<cli::Flag> ByName(std::vector<cli::Flag> flags);

// Returns kAssume for a command without --cri-socket, because it never uses the runtime.
config::CriSocketChoice SocketChoice(const cli::Parsed& flags);

// Returns the directory of --patches, or else the configured directory; "" without either.
std::string PatchesDirectory(const cli::Parsed& flags,
                             const std::optional<config::Patches>& configured);

// Returns the world of a command without phases: the machine, or with --dry-run a world that only
// prints and writes no files.
std::unique_ptr<steps::World> WorldBy(const cli::Parsed& flags, host::Host& machine);

}  // namespace kubeadm
