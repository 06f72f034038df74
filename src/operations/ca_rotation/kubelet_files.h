// SPDX-License-Identifier: Apache-2.0
// The kubelet's part of a rotation: its own certificate, and all that a worker has.
#pragma once

#include "ca_rotation/node.h"

namespace ca_rotation {

// ReissueKubelet gives the kubelet a certificate of the new authority, unless it has one. On the
// control plane this node signs it; a worker asks the cluster and waits for approval. Throws
// base::Error: kUnavailable when the cluster still signs with the old authority.
void ReissueKubelet(const Node& node, const Record& record);

// WriteWorker does the step of a worker.
void WriteWorker(const Node& node, const Record& record, Step step);

}  // namespace ca_rotation
