#include "host/dry_run_host.h"

#include <fmt/core.h>

#include "base/log.h"
#include "base/strings.h"

namespace host {

fs::path MakeDryRunDirectory(Host& machine, const DryRunDirectory& wanted) {
  if (const std::string named = machine.environment.Get(wanted.variable); !named.empty()) {
    return named;
  }
  const bool root = machine.machine.EffectiveUser() == 0;
  const fs::path parent = root ? wanted.parent : fs::path("/tmp");
  const std::string suffix = base::HexEncode(machine.random.Bytes(5));
  const fs::path made = parent / (wanted.prefix + suffix);
  machine.files.MakeDirectories(made, 0700);
  base::LogWarning(
      "the dry run keeps its files in {}; set the environment variable {} to choose another "
      "directory",
      made.string(), wanted.variable);
  return made;
}

}  // namespace host
