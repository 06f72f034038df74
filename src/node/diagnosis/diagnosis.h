// Why a control plane does not come up: facts of the node in, culprit out.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cri/runtime.h"
#include "diagnosis/finding.h"
#include "host/host.h"
#include "host/init_system.h"

namespace diagnosis {

// ContainerFact is what became of a control plane container: whether it runs, and how often it
// failed of itself (what was stopped did not).
struct ContainerFact {
  std::string name;  // "kube-apiserver"
  bool running = false;
  unsigned exits = 0;                   // failures of its own: those in `failed`, and remembered
  int exit_code = 0;                    // of the last one
  std::string reason;                   // of the last one: "OOMKilled", "Error"
  std::vector<std::string> last_lines;  // of that run's log
  std::set<std::string> failed;         // ids of the containers that are counted
};

// ControlPlaneFacts are what can be known of a node whose control plane is not healthy.
struct ControlPlaneFacts {
  std::map<std::string, ContainerFact> containers;  // by name
  std::set<std::string> healthy;                    // components that answered
  bool external_etcd = false;
  std::optional<std::string> kubelet_problem;  // while its service is not active
  std::optional<std::string> runtime_problem;  // while the container runtime does not answer
};

// JudgeContainers is a finding for each component that has exited and is not healthy, in the order
// in which they need each other: etcd, API server, controller manager, scheduler. It is certain for
// one that has exited twice for a reason that time does not heal.
std::vector<Finding> JudgeContainers(const ControlPlaneFacts& facts);

// Diagnose blames the first of kubelet, runtime, etcd, API server, controller manager, scheduler
// that fails of itself: what runs on top of a failing one fails too. A certain finding means that
// waiting longer will not help. Nothing when all seems well so far.
std::optional<Finding> Diagnose(const ControlPlaneFacts& facts);

// The findings about what all components need.
Finding KubeletIsDead(const std::string& problem);
Finding RuntimeIsDead(const std::string& problem);

// Remedy is what helps against an error line of a component, if it is a known one.
struct Remedy {
  std::string text;
  bool heals = false;  // it may pass by itself
};
std::optional<Remedy> RemedyFor(std::string_view component, std::string_view line);

// FactSources are asked for facts; either pointer may be null.
struct FactSources {
  host::Host& host;
  cri::Runtime* runtime = nullptr;
  host::InitSystem* init_system = nullptr;
  // Containers that ended before are an earlier run's business.
  std::chrono::system_clock::time_point since = {};
};

// FailureMemory counts a component's failed containers over several looks at one node. The kubelet
// soon removes all but the newest, so that what fails again and again may never be seen failed
// twice at once. Not for use by several threads at a time.
class FailureMemory {
 public:
  // AddTo remembers the failed containers of a look and adds to their count those of earlier looks.
  // A component of which no failed container is there (it may have recovered) stays without blame.
  void AddTo(ControlPlaneFacts& facts);

 private:
  std::map<std::string, std::set<std::string>> failed_;  // ids by component
};

// GatherFacts asks runtime and init system, and reads the logs of containers that ended. It never
// throws: what cannot be found out is a fact, too.
ControlPlaneFacts GatherFacts(const FactSources& sources);

// LastLogLines are the messages of the last `count` lines of a CRI log ("time stream tag message").
std::vector<std::string> LastLogLines(std::string_view log, std::size_t count);

}  // namespace diagnosis
