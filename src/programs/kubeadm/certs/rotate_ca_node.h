// What `certs rotate-ca` knows of the node that it runs on, and what follows.
#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include "ca_rotation/authority.h"
#include "ca_rotation/ca_files.h"
#include "cli/flags.h"
#include "config/types.h"
#include "host/host.h"
#include "kube/client.h"
#include "kubeadm/certs/source.h"

namespace kubeadm {

struct RotateOptions {
  bool dry_run = false;
  bool again = false;
  bool early = false;
  bool upload_certs = false;
  std::string certificate_key;  // in hex; "" when there is none
};

// RotatingNode is one run's view of its node.
struct RotatingNode {
  host::Host& host;
  const ca_rotation::Authority& authority;
  const RotateOptions& options;
  config::Init config;        // a worker's has nothing but the certificates folder
  host::fs::path kubeconfig;  // to speak to the cluster with
  std::string name;           // in the cluster
  bool control_plane = true;

  ca_rotation::Place place() const;
  // NewClient reads the kubeconfig anew: whom it trusts changes in between. It tries for as long as
  // a restart of the API server takes.
  kube::Client NewClient() const;
  std::chrono::sys_seconds Now() const;
};

// OpenNode finds out on which node this is. Throws base::Error when it is none, or one whose
// authority cannot be replaced here: an external one, or one that is the control plane's business.
RotatingNode OpenNode(const cli::Parsed& flags, const ca_rotation::Authority& authority,
                      const RotateOptions& options, host::Host& host, const Say& say);

// GatherSituation looks at the node's files and asks the cluster.
ca_rotation::Situation GatherSituation(const RotatingNode& node);

}  // namespace kubeadm
