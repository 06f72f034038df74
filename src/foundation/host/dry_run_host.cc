// SPDX-License-Identifier: Apache-2.0
#include "host/dry_run_host.h"

#include <fmt/core.h>

#include "base/log.h"
#include "base/strings.h"

namespace host {

DryRunDirectory ChooseDryRunDirectory(const Host& machine, const DryRunDirectoryOptions& wanted) {
  if (const std::string named = machine.environment.Get(wanted.variable); !named.empty()) {
    return {.path = named, .variable = ""};
  }
  const bool root = machine.machine.EffectiveUser() == 0;
  const fs::path parent = root ? wanted.parent : fs::path("/tmp");
  const std::string suffix = base::HexEncode(machine.random.Bytes(5));
  return {.path = parent / (wanted.prefix + suffix), .variable = wanted.variable};
}

void MakeDryRunDirectory(Host& machine, const DryRunDirectory& directory) {
  if (directory.variable.empty()) {
    return;
  }
  machine.files.MakeDirectories(directory.path, 0700);
  base::LogWarning(
      "the dry run keeps its files in {}; set the environment variable {} to choose another "
      "directory",
      directory.path.string(), directory.variable);
}

void RemoveEmptyDryRunDirectory(Host& machine, const DryRunDirectory& directory) {
  const bool fresh = !directory.variable.empty();
  if (fresh && machine.files.Exists(directory.path) && machine.files.List(directory.path).empty()) {
    machine.files.Remove(directory.path);
  }
}

}  // namespace host
