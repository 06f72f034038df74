// SPDX-License-Identifier: Apache-2.0
// The host of a dry run: reads the machine, writes into a directory, starts nothing.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "host/host.h"

namespace host {

// DryRunDirectoryOptions says where a dry run is to keep what it writes.
struct DryRunDirectoryOptions {
  std::string variable;  // of the environment, by which the user names it: KUBEADM_INIT_DRYRUN_DIR
  std::string prefix;    // of a fresh one's name: "kubeadm-init-dryrun"
  fs::path parent;       // of a fresh one, for root; other users have theirs in /tmp
};

// DryRunDirectory is where it does.
struct DryRunDirectory {
  fs::path path;
  std::string variable;  // of a fresh one: by which the user could name another; "": they have
};

// ChooseDryRunDirectory is the one that the variable names, or a fresh one. Nothing is made yet.
DryRunDirectory ChooseDryRunDirectory(const Host& machine, const DryRunDirectoryOptions& wanted);

// MakeDryRunDirectory makes a fresh one with mode 0700 and warns of it; one that the user has named
// is made with the first file in it. Throws base::Error when it cannot be made.
void MakeDryRunDirectory(Host& machine, const DryRunDirectory& directory);

// RemoveEmptyDryRunDirectory removes a fresh one again in which nothing lies. Throws base::Error
// when it cannot be removed.
void RemoveEmptyDryRunDirectory(Host& machine, const DryRunDirectory& directory);

// DryRunHost is the machine with the parts that a dry run replaces: files, processes and
// mounts. The machine must outlive it.
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
