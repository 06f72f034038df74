// SPDX-License-Identifier: Apache-2.0
// What commands offer and read on their command lines alike.
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
#include "world/world.h"

namespace kubeadm {

// CommonFlags are the rows of these flags, which several commands have in the same words, in the
// order of the names given. Throws std::logic_error for any other name.
std::vector<cli::Flag> CommonFlags(std::initializer_list<std::string_view> names);

// Switch is a flag that is on or off, and off by default.
cli::Flag Switch(std::string name, std::string help);

// KeepFlag (--keep) leaves what a dry run would take out of its directory.
cli::Flag KeepFlag();

// ByName sorts a table of flags, as help shows it.
std::vector<cli::Flag> ByName(std::vector<cli::Flag> flags);

// SocketChoice: a command that offers no --cri-socket never talks to the runtime.
config::CriSocketChoice SocketChoice(const cli::Parsed& flags);

// PatchesDirectory is --patches, else the configured one; "" for neither.
std::string PatchesDirectory(const cli::Parsed& flags,
                             const std::optional<config::Patches>& configured);

// WorldBy is where a command acts that has no phases: on the machine, or with --dry-run in a world
// that shows and writes nothing.
std::unique_ptr<world::World> WorldBy(const cli::Parsed& flags, host::Host& machine);

}  // namespace kubeadm
