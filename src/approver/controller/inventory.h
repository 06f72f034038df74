// SPDX-License-Identifier: Apache-2.0
// The controller's second job: the trusted machines.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "controller/object_watch.h"
#include "controller/readiness.h"
#include "controller/settings.h"
#include "controller/thread_group.h"
#include "host/host.h"
#include "inventories/entry_list.h"
#include "inventories/machine_source.h"
#include "inventories/queried_list.h"
#include "inventories/sink.h"
#include "inventories/token_bindings.h"

namespace controller {

// Reports the machines of the inventories in the settings to the sink. These are Machines; entries
// of a ConfigMap, a file, an HTTPS endpoint or a program; bound tokens; and single names. Endpoints
// and programs are queried at intervals. Single names are reported once, and the other inventories
// are watched. Two inventories are not reported here: class Watches reports Nodes that attest
// themselves, and AddDnsHost looks up the hosts of `dns`.
class Inventory {
 public:
  // Judging begins when `readiness` is reached: the Machines are listed, their API is missing, or
  // the first list has failed. The sink has a problem, so that no request is approved, until all
  // endpoints, programs and bindings of tokens are read. If Nodes attest themselves, this also
  // applies to the entries of the ConfigMap and the file. All references must outlive the object.
  Inventory(const Settings& settings, const Clusters& clusters, host::Host& host,
            inventories::Sink& sink, Readiness& readiness);

  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  // Adds a thread for each inventory.
  void Start(ThreadGroup& group);

  // Returns whether the inventory of an entry still contains this entry
  // (inventories::QueriedList::Confirms). The entry must come from kHttp or kExec. Thread-safe.
  bool Confirms(const judgement::Machine& entry, const std::stop_token& stop);

 private:
  void AddConfigMap(const inventories::ConfigMapRef& map, kube::Transport& workload,
                    std::chrono::milliseconds idle);
  void AddTokens(inventories::Sink& sink, kube::Transport& workload,
                 std::chrono::milliseconds idle);

  const inventories::InventoryOptions& options_;
  host::Host& host_;
  std::optional<inventories::EntryList> map_entries_;
  std::optional<inventories::EntryList> file_entries_;
  std::vector<std::unique_ptr<inventories::MachineSource>> sources_;
  std::optional<ObjectWatch> map_watch_;
  std::optional<inventories::TokenBindings> tokens_;
  bool tokens_taken_ = false;  // used only by the watching thread
  std::optional<ObjectWatch> token_watch_;
  std::vector<std::unique_ptr<inventories::QueriedList>> queried_;
};

}  // namespace controller
