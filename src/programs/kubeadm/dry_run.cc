#include "kubeadm/dry_run.h"

#include <fmt/core.h>

#include "base/error.h"
#include "base/log.h"
#include "base/strings.h"
#include "config/paths.h"

namespace kubeadm {

namespace fs = std::filesystem;

std::optional<std::string> DryRunProcesses::FindExecutable(std::string_view name) const {
  return real_.FindExecutable(name);
}

host::RunResult DryRunProcesses::Run(const std::vector<std::string>& argv,
                                     const host::RunOptions& options) {
  return options.effect == host::Effect::kAsks ? real_.Run(argv, options) : host::RunResult{};
}

fs::path MakeDryRunFolder(host::Host& machine, const DryRunFolder& folder) {
  if (const std::string named = machine.environment.Get(folder.variable); !named.empty()) {
    return named;
  }
  const bool root = machine.machine.EffectiveUser() == 0;
  const fs::path parent = root ? fs::path(config::kTmpDir) : fs::path("/tmp");
  const std::string suffix = base::HexEncode(machine.random.Bytes(5));
  const fs::path made = parent / (folder.prefix + suffix);
  machine.files.MakeDirectories(made, 0700);
  base::LogWarning(
      "the dry run keeps its files in {}; set the environment variable {} to choose another folder",
      made.string(), folder.variable);
  return made;
}

}  // namespace kubeadm
