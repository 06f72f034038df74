// SPDX-License-Identifier: Apache-2.0
// Facts of a node whose control plane is not healthy: what its containers, kubelet and runtime do.
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

namespace diagnosis {

// Failure is a container that failed of itself. One that was stopped did not: by the kubelet after
// a changed manifest or a failed probe, by this program, by a user (exit code 0, SIGTERM, SIGKILL,
// and what a Go program makes of SIGTERM at its start).
struct Failure {
  std::string id;                       // of the container
  int exit_code = 1;                    // 128 + N: ended by signal N
  std::string reason;                   // the runtime's: "OOMKilled", "Error"
  std::vector<std::string> last_lines;  // of its log
};

// ContainerFact is what became of a component's containers.
struct ContainerFact {
  std::string name;  // "kube-apiserver"
  bool running = false;
  std::vector<Failure> failures;  // in the order in which they ended
  // Where its manifest mounts something; not known where that cannot be read.
  std::optional<std::vector<std::string>> mounts;
};

// ControlPlaneFacts are what can be known of a node whose control plane is not healthy.
struct ControlPlaneFacts {
  std::map<std::string, ContainerFact> containers;  // by name
  bool containers_known = false;                    // the runtime has told all that there are
  std::set<std::string> healthy;                    // components that answered
  bool disk_full = false;                           // where etcd keeps its data
  std::optional<std::string> kubelet_problem;       // while its service is not active
  std::optional<std::string> runtime_problem;       // while the container runtime does not answer
};

// FactSources are asked for facts; either pointer may be null.
struct FactSources {
  host::Host& host;
  cri::Runtime* runtime = nullptr;
  host::InitSystem* init_system = nullptr;
  // What ended before is an earlier run's business, and so is what ended before the component's
  // manifest became what it is.
  std::chrono::system_clock::time_point since = {};
  std::filesystem::path etcd_data = config::kDefaultEtcdDataDir;
  std::function<std::optional<host::DiskSpace>(const std::string& path)> disk_space =
      host::DiskSpaceOf;
};

// GatherFacts asks runtime and init system, and reads the logs of containers that ended. It never
// throws: what cannot be found out is a fact, too.
ControlPlaneFacts GatherFacts(const FactSources& sources);

// FailureMemory keeps a component's failures over several looks at one node. The kubelet soon
// removes all but the newest, so that what fails again and again may never be seen failed twice at
// once. Not for use by several threads at a time.
class FailureMemory {
 public:
  // AddTo remembers the failures of a look and puts those of earlier looks before them. A component
  // of which no failed container is there (it may have recovered) stays without blame.
  void AddTo(ControlPlaneFacts& facts);

 private:
  std::map<std::string, std::vector<Failure>> failed_;  // by component
};

// LastLogLines are the messages of the last `count` lines of a CRI log ("time stream tag message").
std::vector<std::string> LastLogLines(std::string_view log, std::size_t count);

}  // namespace diagnosis
