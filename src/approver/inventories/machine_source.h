// SPDX-License-Identifier: Apache-2.0
// Machine objects of one API group, watched.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>

#include "host/clock.h"
#include "inventories/machine_scope.h"
#include "inventories/options.h"
#include "inventories/sink.h"
#include "kube/client.h"

namespace inventories {

// MachineApi is where the Machines of a group are served.
struct MachineApi {
  std::string version;
  std::string plural;
};

// FindMachineApi asks the server; nothing when it does not serve the group, the version (its
// preferred one if none is given) or the kind Machine in it. Throws base::Error when it does not
// answer.
std::optional<MachineApi> FindMachineApi(kube::Transport& transport, const GroupVersion& wanted,
                                         const std::stop_token& stop);

// MachineSource keeps in the sink the Machines of one group that are this cluster's. What cannot be
// read is a problem until it can be again.
class MachineSource {
 public:
  struct Options {
    GroupVersion group;
    std::string name_space;  // "" for all
    std::string cluster;     // as in MachineScope
    int rank = 0;
    std::chrono::milliseconds watch_idle = kube::Call().watch_idle;
  };

  // `settled` is called when a first list is there, or it is known why not; and perhaps again. The
  // clock, by which it pauses, and the rest outlive it.
  MachineSource(kube::Transport& transport, host::Clock& clock, Sink& sink, Options options,
                std::function<void()> settled);
  // Run watches until asked to stop.
  void Run(const std::stop_token& stop);

 private:
  void Settle(const std::optional<std::string>& problem);
  void Follow(const MachineApi& api, const std::stop_token& stop);
  void Put(const json::Value& object, const MachineApi& api);
  kube::Resource ResourceOf(const MachineApi& api) const;
  void Gone(const std::string& name_space, const std::string& name);
  void SetProblem(const std::string& key, const std::optional<std::string>& problem);

  kube::Transport& transport_;
  host::Clock& clock_;
  Sink& sink_;
  Options options_;
  MachineScope scope_;  // only of the thread that runs
  std::function<void()> settled_;
};

}  // namespace inventories
