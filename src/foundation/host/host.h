// SPDX-License-Identifier: Apache-2.0
// Host: the machine as a parameter. Only this library reads files, starts processes, and accesses
// the clock and randomness. A dry run is therefore another Host, not an `if`, and a test is a Host
// over a temporary directory.
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

// Bundles all access to one machine. The parts must outlive it. Thread-safe.
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

// This machine. `main` creates it and passes it down: RealHost machine; Run(machine.host). Its
// threads end in its destructor.
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
