#include "kubeadm/not_built.h"

#include <fmt/core.h>

#include "base/error.h"

namespace kubeadm {

cli::Command NotBuilt(const std::string& path, std::string summary) {
  cli::Command command{.name = path.substr(path.rfind(' ') + 1), .summary = std::move(summary)};
  command.max_args = cli::kAnyNumber;
  command.any_flags = true;
  command.run = [path](cli::Invocation&) {
    throw base::Error(
        base::Error::Kind::kUsage,
        fmt::format("this version of Slipway has no \"kubeadm {0}\" yet; run the {0} command of "
                    "upstream's kubeadm v1.36 on this cluster, the two work on the same files",
                    path));
  };
  return command;
}

}  // namespace kubeadm
