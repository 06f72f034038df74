// SPDX-License-Identifier: Apache-2.0
// The record of the cluster's rotations.
//
// ConfigMap kube-system/kubeadm-rotate-ca stores two values for each authority: the new certificate
// or public key, and the latest step that has begun. Nodes may read the ConfigMap. It contains no
// secret.
#pragma once

#include <optional>
#include <string_view>

#include "ca_rotation/anchors.h"
#include "ca_rotation/authority.h"
#include "kube/client.h"

namespace ca_rotation {

inline constexpr std::string_view kRecordConfigMap = "kubeadm-rotate-ca";

// Reads the record of an authority. Returns std::nullopt if no record exists, or if this node may
// not read it yet.
std::optional<RotationRecord> FindRecord(kube::Client& client, const Authority& authority);

// Begins a rotation: stores `anchor` as the new authority in the record, and allows nodes to read
// the record. `before` is the result of FindRecord. Throws base::Error(kAlreadyExists) if another
// node has changed the record after that read.
void Claim(kube::Client& client, const Authority& authority, const Anchor& anchor,
           const std::optional<RotationRecord>& before);

// Records that a step has begun. If a later step is recorded, does nothing.
void SetStep(kube::Client& client, const Authority& authority, Step step);

}  // namespace ca_rotation
