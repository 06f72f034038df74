// SPDX-License-Identifier: Apache-2.0
// The changes that a step of a rotation makes to files on this node. A file that already has the
// result of this step or of a later step stays unchanged.
#pragma once

#include <optional>
#include <vector>

#include "ca_rotation/node.h"
#include "ca_rotation/place.h"
#include "static_pods/restart.h"

namespace ca_rotation {

// Returns all files that the steps may write, without the stored key pairs (place.h).
std::vector<host::fs::path> TouchedFiles(const AuthorityFiles& place,
                                         const config::ClusterConfiguration& cluster);

// Writes the anchors into all files that trust the authority, the signing anchor first. Other CAs
// in kubeconfig files are kept: only the old and the new anchor are replaced. Skips files that are
// already correct.
void SetAnchors(const AuthorityFiles& place, const std::vector<Anchor>& anchors);

// WriteTrust, WriteReissue and WriteDrop apply a step on a control-plane node. They write all files
// except manifests. They return the controller manager's new Pod if its signing file changes.
// WriteReissue does not renew the kubelet's certificate.
std::optional<static_pods::Replacement> WriteTrust(const AuthorityFiles& place);
std::optional<static_pods::Replacement> WriteReissue(const AuthorityFiles& place,
                                                     const certs::RenewalContext& renewal);
std::optional<static_pods::Replacement> WriteDrop(const AuthorityFiles& place);

// Issues the kubelet a certificate of the new authority, unless the kubelet already has one. A
// control-plane node signs the certificate itself. A worker requests the certificate from the
// cluster and waits for its approval. Throws base::Error(kUnavailable) if the cluster still signs
// with the old authority.
void ReissueKubelet(const Node& node, const RotationRecord& record);

// Applies a step to the files of a worker: its trusted anchors and the kubelet's certificate.
void WriteWorker(const Node& node, const RotationRecord& record, Step step);

}  // namespace ca_rotation
