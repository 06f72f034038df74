// SPDX-License-Identifier: Apache-2.0
// Moves a process from its privileged container into the host's namespaces, and runs a program
// there.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

#include "host/descriptor.h"

namespace host {

// Permanently moves this process into the mount, UTS, IPC, network and cgroup namespaces of process
// `pid` (setns(2)), and into that process's root directory. Call it before this process starts a
// thread. Throws base::Error naming the namespace, with the kind of the system's error.
void EnterNamespaces(int pid);

// A directory of this process's mount namespace, for processes of other mount namespaces. Lives as
// long as this process may be asked for it.
class SharedDirectory {
 public:
  // Throws base::Error with the kind of the system's error: kNotFound if the directory is missing.
  explicit SharedDirectory(const std::string& directory);

  // Returns the path for processes that see this process's /proc/PID. It stays valid if this
  // process moves to another mount namespace.
  std::string path() const;

 private:
  Descriptor descriptor_;
};

// A program to run with our standard streams.
struct AttachedProgram {
  std::vector<std::string> argv;                   // argv[0] is its path
  std::map<std::string, std::string> environment;  // all of it
};

// Runs the program and waits for it, without a timeout. On a stop request the program gets a
// SIGTERM; if this process dies, the kernel sends the SIGTERM. Returns the program's exit status,
// 128 + N if signal N ended the program, or 127 if the program cannot be started. Throws
// base::Error(kOther) if the kernel cannot create a process.
int RunAttached(const AttachedProgram& program, const std::stop_token& stop);

// Ends this process immediately with `status`, which may be any exit status. Calls no destructors:
// the caller must have flushed all output.
[[noreturn]] void ExitAtOnce(int status);

}  // namespace host
