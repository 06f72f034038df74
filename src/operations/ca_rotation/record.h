// SPDX-License-Identifier: Apache-2.0
// The stored record of a cluster's rotations.
//
// ConfigMap kube-system/kubeadm-rotate-ca has for each authority its new one (a certificate or a
// public key, not secret) and the last step that has begun; nodes may read it.
#pragma once

#include <optional>
#include <string_view>

#include "ca_rotation/anchors.h"
#include "ca_rotation/authority.h"
#include "kube/client.h"

namespace ca_rotation {

inline constexpr std::string_view kRecordConfigMap = "kubeadm-rotate-ca";

// Returns std::nullopt without a record, or if this node may not read it yet.
std::optional<Record> FindRecord(kube::Client& client, const Authority& authority);

// Stores `anchor` as the new authority of a rotation that begins, and lets nodes read it. `before`
// is the record that was found. Throws base::Error(kAlreadyExists) if another node was faster.
void Claim(kube::Client& client, const Authority& authority, const Anchor& anchor,
           const std::optional<Record>& before);

// Records that a step has begun; never replaces a later one.
void SetStep(kube::Client& client, const Authority& authority, Step step);

}  // namespace ca_rotation
