// SPDX-License-Identifier: Apache-2.0
// Facts of a node whose control plane is not healthy: the states of its containers, kubelet and
// runtime.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "config/paths.h"
#include "cri/runtime.h"
#include "host/disk_space.h"
#include "host/host.h"
#include "host/init_system.h"

namespace components {

// A container that failed by itself. A container that was stopped does not count. The kubelet
// (after a changed manifest or a failed probe), this program or a user may have stopped it. Signs
// of a stop are exit code 0, SIGTERM, SIGKILL, or the panic of a starting Go program on SIGTERM.
struct Failure {
  std::string id;                       // of the container
  int exit_code = 1;                    // 128 + N: ended by signal N
  std::string reason;                   // the runtime's: "OOMKilled", "Error"
  std::vector<std::string> last_lines;  // of its log
};

// The history of a component's containers.
struct ContainerFact {
  std::string name;  // "kube-apiserver"
  bool running = false;
  std::vector<Failure> failures;  // in the order in which they ended
  // The mounts of its manifest; unknown if it is unreadable.
  std::optional<std::vector<std::string>> mounts;
};

// The available facts of a node whose control plane is not healthy.
struct ControlPlaneFacts {
  std::map<std::string, ContainerFact> containers;  // by name
  bool containers_known = false;                    // the runtime has listed all containers
  std::set<std::string> healthy;                    // components that answered
  bool disk_full = false;                           // the file system of etcd's data is full
  std::optional<std::string> kubelet_problem;       // set while the kubelet's service is not active
  std::optional<std::string> runtime_problem;  // set while the container runtime does not answer
};

// Sources of facts; either pointer may be null.
struct FactSources {
  host::Host& host;
  cri::Runtime* runtime = nullptr;
  host::InitSystem* init_system = nullptr;
  // The beginning of the observation. Containers that ended before this time, or before the last
  // change of the component's manifest, are ignored.
  std::chrono::system_clock::time_point since = {};
  std::filesystem::path etcd_data = config::kDefaultEtcdDataDir;
  std::function<std::optional<host::DiskSpace>(const std::string& path)> disk_space =
      host::DiskSpaceOf;
};

// Queries the runtime and the init system, and reads the logs of ended containers. Never throws:
// errors are recorded in the result.
ControlPlaneFacts CollectFacts(const FactSources& sources);

// Collects a component's failures over several observations of one node. The kubelet soon removes
// all containers except the newest one, so a single observation may not show repeated failures. Not
// thread-safe.
class FailureMemory {
 public:
  // Saves the failures of an observation in the memory. Then replaces each component's failures in
  // the observation by all of its saved failures. If the observation shows no failure of a
  // component, its list stays empty, because the component may have recovered.
  void AddTo(ControlPlaneFacts& facts);

 private:
  std::map<std::string, std::vector<Failure>> failed_;  // by component
};

// Returns the messages of the last `count` lines of a CRI log ("time stream tag message").
std::vector<std::string> LastLogLines(std::string_view log, std::size_t count);

}  // namespace components
