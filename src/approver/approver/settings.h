// What an approver is told at its start.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "approver/config.h"
#include "approver/facts.h"
#include "kube/client.h"

namespace approver {

// GroupVersion is a machine API; without a version it is the one that the server prefers.
struct GroupVersion {
  std::string group, version;
};

// InventoryOptions say who vouches, several at once.
struct InventoryOptions {
  std::vector<GroupVersion> machines;  // Machine objects of these groups
  std::string machine_namespace;       // "" for all
  std::string machine_cluster;         // as in MachineScope
  bool nodes = false;                  // Node objects, for serving certificates
  std::vector<std::string>
      nodes_allowed;  // names that token owners may get client certificates for
  std::string file;   // path; "" for none
  std::string config_map_namespace, config_map_name;  // "" for none
};

// ConfigMapRef names a ConfigMap; both are "" for none.
struct ConfigMapRef {
  std::string name_space, name;
};

struct LeaderSettings {
  bool elect = true;
  std::chrono::milliseconds lease_duration{137'000}, renew_deadline{107'000}, retry_period{26'000};
  std::string name, name_space, identity;
};

struct Settings {
  Policy policy;
  InventoryOptions inventories;
  LeaderSettings leader;
  // The CA of certificates that kubelets serve, key ca-bundle.crt: whoever may write it decides
  // which certificates renew themselves.
  ConfigMapRef renewal_ca;
  std::size_t workers = 8;
  bool keep_status = true;      // the ClusterOperator
  std::string release_version;  // "" counts as "unknown"
  std::chrono::milliseconds dial_timeout{5'000};
  // A watch over which nothing came for so long, not even a bookmark, is begun again: what nobody
  // reads live before an approval is at most this old (docs/threat-model-approver.md).
  std::chrono::milliseconds watch_idle = kube::Call().watch_idle;
};

}  // namespace approver
