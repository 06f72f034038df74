// SPDX-License-Identifier: Apache-2.0
// The host of a dry run: reads the machine, writes into a directory, starts no process that changes
// something.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/host.h"

namespace host {

// Where a dry run keeps its files.
struct DryRunDirectoryOptions {
  std::string variable;  // of the environment, by which the user names it: KUBEADM_INIT_DRYRUN_DIR
  std::string prefix;    // of a fresh one's name: "kubeadm-init-dryrun"
  fs::path parent;       // of a fresh one, for root; for other users in /tmp
};

// The directory of a dry run.
struct DryRunDirectory {
  fs::path path;
  std::string variable;  // lets users choose a directory; "": they have chosen this one
};

// Returns the directory in the variable, or a fresh one. Creates nothing yet.
DryRunDirectory ChooseDryRunDirectory(const Host& machine, const DryRunDirectoryOptions& wanted);

// Creates a fresh directory with mode 0700, and names it in a warning. If the user named a
// directory, creates nothing: that directory is created with its first file. Throws base::Error
// with the kind of the file's error if the directory cannot be created.
void MakeDryRunDirectory(Host& machine, const DryRunDirectory& directory);

// Removes a fresh directory if it is empty. Throws base::Error with the kind of the file's error if
// the directory cannot be removed.
void RemoveEmptyDryRunDirectory(Host& machine, const DryRunDirectory& directory);

// The machine, with files, processes and mounts replaced for a dry run. The machine must outlive
// this object.
class DryRunHost {
 public:
  DryRunHost(Host& machine, std::vector<Redirect> redirects, const fs::path& directory)
      : files_(machine.files, std::move(redirects), directory),
        processes_(machine.processes),
        mounts_(machine.mounts),
        host_{.files = files_,
              .processes = processes_,
              .clock = machine.clock,
              .random = machine.random,
              .environment = machine.environment,
              .network = machine.network,
              .machine = machine.machine,
              .signals = machine.signals,
              .mounts = mounts_} {}

  Host& host() { return host_; }

 private:
  DryRunFiles files_;
  DryRunProcesses processes_;
  DryRunMounts mounts_;
  Host host_;
};

}  // namespace host
