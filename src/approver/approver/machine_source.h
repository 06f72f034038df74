// Machine objects of one API group, watched.
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <optional>
#include <set>
#include <stop_token>
#include <string>

#include "approver/machine_scope.h"
#include "approver/settings.h"
#include "approver/store.h"
#include "kube/client.h"

namespace approver {

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

// MachineSource keeps the store's Machines of one group that are this cluster's. What cannot be
// read is a problem of the store's until it can be again.
class MachineSource {
 public:
  struct Options {
    GroupVersion group;
    std::string name_space;  // "" for all
    std::string cluster;     // as in MachineScope
    int rank = 0;
    std::chrono::milliseconds watch_idle = kube::Call().watch_idle;
  };
  using Changed = std::function<void(const Store::Names&)>;

  MachineSource(kube::Transport& transport, Store& store, Options options, Changed changed);
  void Run(const std::stop_token& stop);
  // Settled: the first list is there, or it is known why not.
  bool Settled() const { return settled_; }

 private:
  void Settle(const std::string& problem);
  void Follow(const MachineApi& api, const std::stop_token& stop);
  void Put(const json::Value& object, const MachineApi& api);
  kube::Resource ResourceOf(const MachineApi& api) const;
  void Gone(const std::string& name_space, const std::string& name);
  void Problem(const std::string& key, const std::string& text);

  kube::Transport& transport_;
  Store& store_;
  Options options_;
  MachineScope scope_;  // only of the thread that runs
  Changed changed_;
  std::atomic<bool> settled_ = false;
};

}  // namespace approver
