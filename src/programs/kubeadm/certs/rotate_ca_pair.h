// The new authority of a rotation: made on one node, brought to the others of the control plane.
#pragma once

#include <string>

#include "kubeadm/certs/rotate_ca_node.h"

namespace kubeadm {

// BeginRotation draws the new authority, if none lies ready, and makes it known to the cluster.
void BeginRotation(const RotatingNode& node, const ca_rotation::Situation& situation,
                   const Say& say);

// FetchPair downloads the new authority with options.certificate_key.
void FetchPair(const RotatingNode& node, const ca_rotation::Record& record, const Say& say);

// UploadPair stores the new authority in the cluster for two hours, encrypted with the key that it
// returns.
std::string UploadPair(const RotatingNode& node, const Say& say);

// RemoveSavedPairs removes the folder of a rotation that this node has finished.
void RemoveSavedPairs(const RotatingNode& node);

}  // namespace kubeadm
