// The host of a dry run: reads the machine, writes into a directory, starts nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/host.h"

namespace host {

// DryRunDirectory says where a dry run keeps what it writes.
struct DryRunDirectory {
  std::string variable;  // of the environment, by which the user names it: KUBEADM_INIT_DRYRUN_DIR
  std::string prefix;    // of a fresh one's name: "kubeadm-init-dryrun"
  fs::path parent;       // of a fresh one, for root; other users have theirs in /tmp
};

// MakeDryRunDirectory is the one that the variable names, which is made with the first file in it,
// or a fresh one with mode 0700, which a warning tells of. Throws base::Error when that cannot be
// made.
fs::path MakeDryRunDirectory(Host& machine, const DryRunDirectory& wanted);

// DryRunHost is the machine with the parts that a dry run replaces: files and processes. The
// machine must outlive it.
class DryRunHost {
 public:
  DryRunHost(Host& machine, std::vector<Redirect> redirects, const fs::path& directory)
      : files_(machine.files, std::move(redirects), directory),
        processes_(machine.processes),
        host_{.files = files_,
              .processes = processes_,
              .clock = machine.clock,
              .random = machine.random,
              .environment = machine.environment,
              .network = machine.network,
              .machine = machine.machine,
              .signals = machine.signals} {}

  Host& host() { return host_; }

 private:
  DryRunFiles files_;
  DryRunProcesses processes_;
  Host host_;
};

}  // namespace host
