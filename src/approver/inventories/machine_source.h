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

// The version and the plural name under which a server serves a group's Machines.
struct MachineApi {
  std::string version;
  std::string plural;
};

// Queries the server for the API of Machines. Returns std::nullopt if the server does not serve the
// group, the version or the kind Machine. The default version is the server's preferred version.
// Throws the errors of kube::Transport if the server does not answer.
std::optional<MachineApi> FindMachineApi(kube::Transport& transport, const GroupVersion& wanted,
                                         const std::stop_token& stop);

// Keeps this cluster's Machines of one group in the sink. A malformed Machine is reported as a
// problem until a valid one replaces it.
class MachineSource {
 public:
  struct Options {
    GroupVersion group;
    std::string name_space;  // "" for all
    std::string cluster;     // as in MachineScope
    int rank = 0;
    std::chrono::milliseconds watch_idle = kube::Call().watch_idle;
  };

  // Calls `settled` when the Machines are listed, their API is missing, or the first list has
  // failed, and possibly again later. `clock` times the pauses. All references must outlive the
  // source.
  MachineSource(kube::Transport& transport, host::Clock& clock, Sink& sink, Options options,
                std::function<void()> settled);
  // Watches until a stop request.
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
  MachineScope scope_;  // used only by the thread of Run
  std::function<void()> settled_;
};

}  // namespace inventories
