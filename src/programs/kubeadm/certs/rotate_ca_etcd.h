// etcd before one of its members is restarted.
#pragma once

#include "kubeadm/certs/rotate_ca_node.h"

namespace kubeadm {

// CheckEtcdBeforeRestart throws base::Error when another member of the node's etcd cluster is not
// healthy: without it and the one that restarts, no majority might be left.
void CheckEtcdBeforeRestart(const RotatingNode& node);

}  // namespace kubeadm
