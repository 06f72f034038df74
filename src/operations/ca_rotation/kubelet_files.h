// SPDX-License-Identifier: Apache-2.0
// The kubelet's part of a rotation: its client certificate, and all files of a worker.
#pragma once

#include "ca_rotation/node.h"

namespace ca_rotation {

// Issues the kubelet a certificate of the new authority, unless the kubelet already has one. A
// control-plane node signs the certificate itself. A worker requests the certificate from the
// cluster and waits for its approval. Throws base::Error(kUnavailable) if the cluster still signs
// with the old authority.
void ReissueKubelet(const Node& node, const RotationRecord& record);

// Applies a step to the files of a worker.
void WriteWorker(const Node& node, const RotationRecord& record, Step step);

}  // namespace ca_rotation
