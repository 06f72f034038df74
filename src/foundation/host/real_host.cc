#include "host/host.h"

namespace host {

Host& RealHost() {
  static RealFiles files;
  static RealProcesses processes;
  static RealClock clock;
  static RealRandom random;
  static RealEnvironment environment;
  static RealNetwork network;
  static RealMachine machine;
  static Host host{files, processes, clock, random, environment, network, machine};
  return host;
}

}  // namespace host
