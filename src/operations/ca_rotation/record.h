// SPDX-License-Identifier: Apache-2.0
// What a cluster keeps of the rotations of its authorities.
//
// ConfigMap kube-system/kubeadm-rotate-ca holds for each authority its new one (a certificate or a
// public key, nothing secret) and the last step that has begun; nodes may read it.
#pragma once

#include <optional>
#include <string_view>

#include "ca_rotation/anchors.h"
#include "ca_rotation/authority.h"
#include "kube/client.h"

namespace ca_rotation {

inline constexpr std::string_view kRecordConfigMap = "kubeadm-rotate-ca";

// FindRecord is nothing when there is none, or this node may not read it yet.
std::optional<Record> FindRecord(kube::Client& client, const Authority& authority);

// Claim makes `anchor` the new authority of a rotation that begins, and lets nodes read that.
// `before` is the record that was found. Throws base::Error(kAlreadyExists) when another node was
// quicker.
void Claim(kube::Client& client, const Authority& authority, const Anchor& anchor,
           const std::optional<Record>& before);

// SetStep notes that a step has begun; never an earlier one than is there.
void SetStep(kube::Client& client, const Authority& authority, Step step);

}  // namespace ca_rotation
