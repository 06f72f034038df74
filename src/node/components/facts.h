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

// A container that failed by itself. Containers that the kubelet stopped, after a changed manifest
// or a failed probe, do not count. Containers that this program or a user stopped do not count,
// either. Signs of a stop are exit code 0, SIGTERM, SIGKILL, or the panic of a starting Go program
// on SIGTERM.
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
  bool disk_full = false;                           // the directory of etcd's data
  std::optional<std::string> kubelet_problem;       // while its service is not active
  std::optional<std::string> runtime_problem;       // while the container runtime does not answer
};

// Sources of facts; either pointer may be null.
struct FactSources {
  host::Host& host;
  cri::Runtime* runtime = nullptr;
  host::InitSystem* init_system = nullptr;
  // Containers that ended before this time, in an earlier run, are ignored. So are containers that
  // ended before the component's manifest was changed.
  std::chrono::system_clock::time_point since = {};
  std::filesystem::path etcd_data = config::kDefaultEtcdDataDir;
  std::function<std::optional<host::DiskSpace>(const std::string& path)> disk_space =
      host::DiskSpaceOf;
};

// Queries runtime and init system, and reads the logs of ended containers. Never throws: an error
// is a fact, too.
ControlPlaneFacts GatherFacts(const FactSources& sources);

// Remembers a component's failures over several observations of one node. The kubelet soon removes
// all containers but the newest, so repeated failures may never be visible together. Not
// thread-safe.
class FailureMemory {
 public:
  // Adds an observation's failures to the memory and prepends the earlier ones. Ignores a component
  // without a failed container, because it may have recovered.
  void AddTo(ControlPlaneFacts& facts);

 private:
  std::map<std::string, std::vector<Failure>> failed_;  // by component
};

// Returns the messages of the last `count` lines of a CRI log ("time stream tag message").
std::vector<std::string> LastLogLines(std::string_view log, std::size_t count);

}  // namespace components
