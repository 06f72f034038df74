// SPDX-License-Identifier: Apache-2.0
// The host of a dry run: reads the machine, writes into a directory, starts no process that changes
// something.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/host.h"

namespace host {

// Options for the directory of a dry run.
struct DryRunDirectoryOptions {
  std::string variable;  // environment variable for the user's directory: "KUBEADM_INIT_DRYRUN_DIR"
  std::string prefix;    // beginning of a new directory's name: "kubeadm-init-dryrun"
  fs::path parent;       // parent of a new directory if the user is root; others use /tmp
};

// The directory of a dry run.
struct DryRunDirectory {
  fs::path path;
  std::string variable;  // name of the environment variable; "" if the user has set it
};

// Returns the directory that the environment variable names, or else a new one. Creates nothing.
DryRunDirectory ChooseDryRunDirectory(const Host& machine, const DryRunDirectoryOptions& wanted);

// Creates a new directory with mode 0700, and names it in a warning. If the user named a directory,
// creates nothing: that directory is created with its first file. Throws base::Error with the kind
// of the file's error if the directory cannot be created.
void MakeDryRunDirectory(Host& machine, const DryRunDirectory& directory);

// Removes a new directory if it is empty. Throws base::Error with the kind of the file's error if
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
