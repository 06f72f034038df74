// SPDX-License-Identifier: Apache-2.0
// Moves a process from its privileged container into the host's namespaces, and runs a program
// there.
#pragma once

#include <map>
#include <stop_token>
#include <string>
#include <vector>

namespace host {

// Moves this process, permanently, into the mount, UTS, IPC, network and cgroup namespaces of
// process `pid` (setns(2)), and into its root directory. The caller must not have started a thread.
// Throws base::Error with the kind of the system's error, naming the namespace.
void EnterNamespaces(int pid);

// A program to run with our standard streams.
struct AttachedProgram {
  std::vector<std::string> argv;                   // argv[0] is its path
  std::map<std::string, std::string> environment;  // all of it
};

// Runs the program and waits for it without a limit. The program gets a SIGTERM on a stop request,
// and from the kernel if this process dies. Returns its exit status, 128 + N if signal N ended it,
// and 127 if it cannot be started. Throws base::Error(kOther) if the kernel cannot create a
// process.
int RunAttached(const AttachedProgram& program, const std::stop_token& stop);

// Ends this process at once with an exit status that is not one of a command's. Output must have
// been flushed.
[[noreturn]] void ExitAtOnce(int status);

}  // namespace host
