// The host of a dry run: reads the machine, writes into a folder, starts nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/host.h"

namespace kubeadm {

// DryRunProcesses runs what only asks and pretends that the rest succeeded.
class DryRunProcesses : public host::Processes {
 public:
  explicit DryRunProcesses(host::Processes& real) : real_(real) {}
  std::optional<std::string> FindExecutable(std::string_view name) const override;
  host::RunResult Run(const std::vector<std::string>& argv,
                      const host::RunOptions& options) override;

 private:
  host::Processes& real_;
};

// DryRunFolder is the folder that the environment variable names, made when the first file is
// written, or a fresh one with mode 0700 below /etc/kubernetes/tmp (/tmp for a user who may not
// write there), which is said.
struct DryRunFolder {
  std::string variable;  // "KUBEADM_INIT_DRYRUN_DIR"
  std::string prefix;    // "kubeadm-init-dryrun"
};
std::filesystem::path MakeDryRunFolder(host::Host& machine, const DryRunFolder& folder);

// DryRunHost keeps the parts that a dry run replaces.
class DryRunHost {
 public:
  DryRunHost(host::Host& machine, std::vector<host::Redirect> redirects,
             const std::filesystem::path& folder)
      : files_(machine.files, std::move(redirects), folder),
        processes_(machine.processes),
        host_{.files = files_,
              .processes = processes_,
              .clock = machine.clock,
              .random = machine.random,
              .environment = machine.environment,
              .network = machine.network,
              .machine = machine.machine} {}

  host::Host& host() { return host_; }

 private:
  host::DryRunFiles files_;
  DryRunProcesses processes_;
  host::Host host_;
};

}  // namespace kubeadm
