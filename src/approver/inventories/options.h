// Who vouches, as the flags say it.
#pragma once

#include <string>
#include <vector>

namespace inventories {

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

}  // namespace inventories
