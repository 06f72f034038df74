// SPDX-License-Identifier: Apache-2.0
// Host: the machine as a parameter. Nothing outside this room reads a file, starts a process,
// looks at the clock or asks for randomness in any other way, so a dry run is another Host, not an
// `if`, and a test is a Host over a temporary directory.
#pragma once

#include "host/clock.h"
#include "host/environment.h"
#include "host/files.h"
#include "host/machine.h"
#include "host/mounts.h"
#include "host/network.h"
#include "host/processes.h"
#include "host/signals.h"

namespace host {

// Host bundles the ways to touch one machine. The parts outlive it; all of them may be used from
// several threads at once.
struct Host {
  Files& files;
  Processes& processes;
  Clock& clock;
  Random& random;
  Environment& environment;
  Network& network;
  Machine& machine;
  Signals& signals;
  Mounts& mounts;
};

// RealHost is this machine, as `main` makes it and hands it down: RealHost machine;
// Run(machine.host). What it has started ends with it.
struct RealHost {
  RealHost() = default;
  RealHost(const RealHost&) = delete;
  RealHost& operator=(const RealHost&) = delete;

  RealFiles files;
  RealProcesses processes;
  RealClock clock;
  RealRandom random;
  RealEnvironment environment;
  RealNetwork network;
  RealMachine machine;
  RealSignals signals;
  RealMounts mounts;
  Host host{files, processes, clock, random, environment, network, machine, signals, mounts};
};

}  // namespace host
