// SPDX-License-Identifier: Apache-2.0
// The inventories selected by flags.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "net/host_port.h"

namespace inventories {

// ConfigMapRef names a ConfigMap.
struct ConfigMapRef {
  std::string name_space, name;
};

// An API of Machines. An empty version selects the server's preferred version.
struct GroupVersion {
  std::string group, version;
};

// An HTTPS endpoint that answers with a list of hosts (inventories/answer.h).
struct HttpInventory {
  std::string url;  // begins with https://
  // A PEM file with the only CAs that may have signed the server's certificate.
  std::string ca_file;
  // A directory with tls.crt and tls.key, with token, or with all three; "": no credentials.
  std::string credentials;
};

// Hosts that DNS knows as NODE.DOMAIN.
struct DnsInventory {
  std::string domain;                  // without a dot at its end
  std::vector<net::HostPort> servers;  // IP addresses and ports
};

// The selected inventories. Several can be selected together.
struct InventoryOptions {
  std::vector<GroupVersion> machines;  // Machine objects of these groups
  std::string machine_namespace;       // "" for all
  std::string machine_cluster;         // as in MachineScope
  bool nodes = false;                  // Node objects, for serving certificates
  bool tokens = false;                 // bootstrap tokens that are bound to a node
  // Names for which owners of bootstrap tokens may get client certificates.
  std::vector<std::string> nodes_allowed;
  std::optional<std::string> file;         // its path
  std::optional<ConfigMapRef> config_map;  // its key inventory.yaml
  std::optional<HttpInventory> http;
  std::vector<std::string> exec;  // a program's absolute path and its arguments; empty: none
  std::optional<DnsInventory> dns;
  // query_timeout is the time limit of one query of http, exec or dns. refresh is the pause between
  // two queries of http or exec.
  std::chrono::milliseconds query_timeout{10'000}, refresh{30'000};
};

}  // namespace inventories
